import { resultOf } from '#shared/model/calls/call.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import type { MessageId } from '#shared/model/ids.ts'
import { type Message, toolCallsOf, type UserMessage } from '#shared/model/message.ts'
import { addUsage, charactersPerToken, noUsage, type Usage } from '#shared/model/models/usage.ts'
import { answeringModel, type ThreadState } from '#shared/model/thread.ts'
import { beginningOf, tailOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { noticeEntry } from '../../journal/notices.ts'
import { summaryPrompt, summaryTask } from '../../prompts/summary.ts'
import type { Commit, LoopSteps } from '../calls/call-context.ts'
import { askModel } from '../model/request-reply.ts'
import type { LoopContext, RunLimits } from '../types/loop-context.ts'
import type { SummarisationSettings } from '../types/settings.ts'
import { messageText, plainText, transcriptOf } from './transcript.ts'

/**
 * Summarises the older part of a conversation that is too long, or on a person's request. Nothing is lost: the whole
 * text becomes a file that the agent can search, and the user's words stay in the conversation. Returns true when it
 * did.
 */
export async function* compact(
  context: LoopContext,
  signal: AbortSignal,
  why: 'due' | 'overflow' = 'due',
  failed: FailedSummary = { tokens: 0 },
): LoopSteps<boolean> {
  const thread = context.thread()
  const { summarisation } = context.limits
  const contextWindow = await context.models.windowOf(answeringModel(thread))
  if (why === 'overflow' && summarisation === null) return false
  const plan = why === 'overflow' ? planCompaction(thread, 2) : planCompaction(thread)
  const length = (message: Message, isCounted: boolean) => lengthOf(thread, message, isCounted, context.limits)
  if (why === 'due' && !isDue(thread, plan, { summarisation, contextWindow, failed, length })) return false
  if (!plan) {
    if (thread.compactionRequested) yield [{ type: 'compaction.settled' }]
    return false
  }
  if (why === 'due' && (yield* isRefused(context, failed, contextTokens(thread, length), signal))) return false
  context.live({ type: 'context.compacting', messages: plan.covered.length })
  let text: string | null = null
  const spent: EntryBody[] = []
  // A model that a person chose for summaries may lack. The thread's own one knows the conversation.
  for (const model of new Set([context.models.summary(), answeringModel(thread)])) {
    const summary = await summarise(context, thread, plan, { model, signal })
    if (summary.usage.modelCalls > 0) spent.push({ type: 'usage', usage: summary.usage, model, for: 'summary' })
    text = summary.text
    if (text !== null) break
  }
  const settled: Commit = thread.compactionRequested ? [{ type: 'compaction.settled' }] : []
  if (text === null) failed.tokens = contextTokens(thread, length)
  yield text === null
    ? [
        ...spent,
        ...settled,
        ...(wasCalledFor(thread) ? [noticeEntry(context.nextId() as MessageId, notSummarised)] : []),
      ]
    : [...spent, compactionEntry(context, thread, plan, text)]
  return text !== null
}

/** True when a hook refuses the summary. It is asked again when the conversation has grown. */
async function* isRefused(
  context: LoopContext,
  failed: FailedSummary,
  tokens: number,
  signal: AbortSignal,
): LoopSteps<boolean> {
  const { compactionRequested } = context.thread()
  const kind = compactionRequested ? 'manual' : 'auto'
  const facts = { trigger: kind, custom_instructions: '' }
  const asked = await context.stages.at('PreCompact', { kind, facts }, signal)
  if (!asked) return false
  const refuses = asked.said.verdict?.kind === 'refuse'
  if (refuses) failed.tokens = tokens
  yield [asked.entry, ...(refuses && compactionRequested ? [{ type: 'compaction.settled' as const }] : [])]
  return refuses
}

/** True when the agent itself asked for the summary, and would rely on it. */
function wasCalledFor({ messages, compactionRequested }: ThreadState): boolean {
  const last = messages.findLast((message) => message.role === 'assistant')
  return (
    compactionRequested && last !== undefined && toolCallsOf(last).some(({ name }) => name === toolFacts.compact.name)
  )
}

const notSummarised = 'The conversation was not summarised, because the model gave no summary. It stays as it is.'

function compactionEntry(context: LoopContext, thread: ThreadState, plan: CompactionPlan, summary: string): EntryBody {
  const end = thread.messages.findIndex(({ messageId }) => messageId === plan.keptFrom)
  const before = thread.messages.slice(0, end)
  const file = context.keepText('/conversation_history/', `${thread.id}.md`, transcriptOf(thread, before))
  const pastes = before.filter(isPaste).map((message) => {
    const name = `${thread.id}-${message.messageId}.txt`
    return [message.messageId, context.keepText('/conversation_history/', name, plainText(message.content))] as const
  })
  return { type: 'compacted', keptFrom: plan.keptFrom, summary, file, pastes, messages: plan.covered.length }
}

/** How long the conversation was when its last summary failed. 0 while none did. */
export interface FailedSummary {
  tokens: number
}

/** About 5,000 tokens of typed text. */
const pasteCharacters = 20_000

function isPaste(message: ThreadState['messages'][number]): message is UserMessage {
  return message.role === 'user' && message.origin !== 'notice' && plainText(message.content).length > pasteCharacters
}

interface Summary {
  /** Null when the model gave none. Its cost is spent all the same. */
  readonly text: string | null
  readonly usage: Usage
}

interface Summarising {
  readonly model: string
  readonly signal: AbortSignal
}

/** Summarises in smaller pieces when the server finds them too long: a token may be one character. */
async function summarise(
  context: LoopContext,
  thread: ThreadState,
  plan: CompactionPlan,
  summarising: Summarising,
): Promise<Summary> {
  let usage = noUsage
  let tried = 0
  for (const perToken of [2, 0.5, 0.125]) {
    const pieces = piecesOf(thread, plan, (await context.models.windowOf(summarising.model)) * perToken)
    if (pieces.length === tried) continue
    tried = pieces.length
    const summary = await summarisePieces(context, thread, pieces, summarising)
    usage = addUsage(usage, summary.usage)
    if (summary.text !== null || !summary.isTooLong) return { text: summary.text, usage }
  }
  return { text: null, usage }
}

/** Summarises piece by piece. Each request contains the summary of the earlier pieces. */
async function summarisePieces(
  context: LoopContext,
  thread: ThreadState,
  pieces: readonly string[],
  { model, signal }: Summarising,
): Promise<Summary & { readonly isTooLong: boolean }> {
  let text = thread.compaction?.summary ?? null
  let usage = noUsage
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1
    const asked = await askModel(
      context,
      requestFor(context, { model, task: summaryTask(text, piece, context.nextId()), isLast }),
      signal,
    )
    if (!asked.ok) return { text: null, usage, isTooLong: asked.error.code === 'context_window_exceeded' }
    usage = addUsage(usage, asked.reply.usage)
    const written = asked.reply.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    if (written.trim() === '') return { text: null, usage, isTooLong: false }
    text = written.trim()
  }
  return { text, usage, isTooLong: false }
}

function requestFor(
  { limits, agentPath }: LoopContext,
  { model, task, isLast }: { readonly model: string; readonly task: string; readonly isLast: boolean },
) {
  const content = [{ type: 'text', text: task }] as const
  return {
    model,
    system: summaryPrompt,
    tools: [],
    messages: [{ role: 'user', content }],
    maxTokens: limits.maxTokens,
    temperature: null,
    effort: null,
    origin: { agent: agentPath, purpose: 'summary', isLast },
  } as const
}

const shownOfMessage = 8_000

/** The transcript in pieces of at most `limit` characters, if no message is longer. Long ones keep their two ends. */
function piecesOf(thread: ThreadState, { covered }: CompactionPlan, limit: number): readonly string[] {
  const pieces: string[] = ['']
  for (const message of covered) {
    const text = clip(messageText(thread, message))
    const last = pieces.at(-1) ?? ''
    if (last !== '' && last.length + text.length > limit) pieces.push(text)
    else pieces[pieces.length - 1] = `${last}\n${text}`
  }
  return pieces
}

function clip(text: string): string {
  if (text.length <= shownOfMessage) return text
  const half = shownOfMessage / 2
  return `${beginningOf(text, half)}\n[… ${text.length - shownOfMessage} characters left out …]\n${tailOf(text, half)}`
}

/** What a compaction would remove from the conversation: every message before `keptFrom`. */
export interface CompactionPlan {
  /** Messages since the last compaction. Earlier ones are in its summary. */
  readonly covered: readonly Message[]
  /** The first message that stays in the conversation. */
  readonly keptFrom: MessageId
}

const keptMessages = 6

/** The share of the length to summarise at that a summary must save, and that must come after one that failed. */
const worthwhile = 0.1

/** Characters that a message adds to a request, with the results of its calls. */
type Length = (message: Message, isCounted: boolean) => number

interface DueOptions {
  readonly summarisation: SummarisationSettings | null
  readonly contextWindow: number
  readonly failed: FailedSummary
  readonly length: Length
}

function isDue(
  thread: ThreadState,
  plan: CompactionPlan | null,
  { summarisation, contextWindow, failed, length }: DueOptions,
): boolean {
  if (thread.compactionRequested) return true
  if (summarisation === null || plan === null) return false
  const most = Math.min(summarisation.tokens, summarisation.share * contextWindow)
  const tokens = contextTokens(thread, length)
  if (tokens < most || (failed.tokens > 0 && tokens < failed.tokens + most * worthwhile)) return false
  // A prompt that fills the window by itself would ask for a summary at each step, and none could help.
  return savedTokens(plan, length) >= most * worthwhile
}

/** Tokens that leave the conversation with a summary. What a person typed stays. */
function savedTokens({ covered }: CompactionPlan, length: Length): number {
  const own = covered.filter(
    (message) => message.role === 'assistant' || message.origin === 'notice' || isPaste(message),
  )
  return own.reduce((sum, message) => sum + length(message, false), 0) / charactersPerToken
}

/**
 * Keeps at least the last six messages as the model counts them. A reply with calls counts as two, because it is never
 * separated from its results. Null when nothing would be left to summarise. A smaller `least` is for a conversation
 * that still does not fit.
 */
export function planCompaction({ messages, compaction }: ThreadState, least = keptMessages): CompactionPlan | null {
  let kept = 0
  let from = messages.length
  while (from > 0 && kept < least) {
    from -= 1
    kept += weight(messages[from])
  }
  const start = compaction ? messages.findIndex(({ messageId }) => messageId === compaction.keptFrom) : 0
  const first = messages[from]
  const covered = messages.slice(start, from)
  return first && covered.some(({ role }) => role === 'assistant') ? { covered, keptFrom: first.messageId } : null
}

function weight(message: Message | undefined): number {
  return message?.role === 'assistant' && toolCallsOf(message).length > 0 ? 2 : 1
}

/** Tokens of the next request: the provider's count for the last one, plus an estimate for what came since. */
function contextTokens(thread: ThreadState, length: Length): number {
  const counted = thread.contextTokens
  const last = thread.messages.findLastIndex(({ role }) => role === 'assistant')
  const fresh = counted === null ? thread.messages : thread.messages.slice(last)
  const characters = fresh.map((message, index) => length(message, counted !== null && index === 0))
  return (counted ?? 0) + characters.reduce((sum, own) => sum + own, 0) / charactersPerToken
}

/** The provider has counted a reply, but not yet the results of its calls. */
function lengthOf(
  thread: ThreadState,
  message: Message,
  isCounted: boolean,
  { messageTokens }: Pick<RunLimits, 'messageTokens'>,
): number {
  if (message.role === 'user') return Math.min(plainText(message.content).length, messageTokens * charactersPerToken)
  const results = toolCallsOf(message).map(({ callId }) => plainText(resultOf(thread.calls.get(callId))?.content ?? []))
  const own = isCounted ? 0 : JSON.stringify(message.content).length
  return results.reduce((sum, { length }) => sum + length, own)
}
