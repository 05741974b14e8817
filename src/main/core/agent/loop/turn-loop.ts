import { assertNever } from '#shared/base/assert-never.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import type { MessageId, ProcessId } from '#shared/model/ids.ts'
import type { Notice } from '#shared/model/message.ts'
import { type AssistantMessage, type AssistantPart, type Message, toolCallsOf } from '#shared/model/message.ts'
import { noticeIn } from '#shared/model/messages/notice.ts'
import { openCalls } from '#shared/model/thread.ts'
import { noticeEntry } from '../../journal/notices.ts'
import type { ModelError } from '../../ports/model-client.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import { executeToolCalls } from '../calls/execute-calls.ts'
import { compact } from '../context/compaction.ts'
import { injectInstructionsNotice } from '../context/folder-instructions.ts'
import { injectBackgroundNotice } from '../delegation/background-notice.ts'
import { injectDriftNotice } from '../drift/drift-notice.ts'
import { injectOverlapNotice } from '../drift/overlap-notice.ts'
import { runExternalAgent } from '../external/external-agent.ts'
import { requestReply } from '../model/request-reply.ts'
import { injectProcessNotice } from '../processes/process-notice.ts'
import { askBeforeRequest, beginThread, sendBack, stoppedByStage, tellIdle } from '../stages/around-turns.ts'
import type { LoopContext, RunEnd } from '../types/loop-context.ts'
import { runProgramAgent } from './program-agent.ts'
import { type GoalProgress, impossibleGoal, pursueGoal } from './pursue-goal.ts'
import { isTried, tryWays } from './try-ways.ts'

/**
 * One run of one agent: ask the model, give its calls their results, and repeat until it is done, a budget is spent or
 * someone stops it. The caller stores everything that is yielded before the loop continues. The loop always reads
 * stored state, so a run that was cut anywhere resumes when it is started again.
 */
export async function* turnLoop(context: LoopContext, signal: AbortSignal): LoopSteps<RunEnd> {
  if (context.program?.kind === 'acp') return yield* runExternalAgent(context, context.program, signal)
  if (context.program) return yield* runProgramAgent(context, context.program, signal)
  if (openCalls(context.thread()).length > 0) yield* executeToolCalls(context, signal)
  if (context.mode === 'compact') yield* compact(context, signal)
  if (isTried(context) && !isAsked(context)) return done
  const impossible = context.mode === 'compact' ? undefined : impossibleGoal(context)
  if (impossible) return impossible
  const progress = { attempts: 0 }
  let finished = yield* resumeRun(context)
  if (finished && finished.status !== 'done') return finished
  if (context.mode === 'work' || context.mode === 'step') {
    yield* beginThread(context, signal)
    context.background.resume()
    if (finished && (yield* hearBackground(context, signal))) finished = undefined
  }
  const goalEnd = yield* endWithGoal(context, finished, progress, signal)
  if (goalEnd) return goalEnd
  const failedSummary = { tokens: 0 }
  const seen = new Set<string>()
  const settled = new Set<ProcessId>()
  while (true) {
    signal.throwIfAborted()
    const news = context.news()
    if (news.length > 0) yield news
    yield* deliver(context, 'steer')
    yield* injectDriftNotice(context)
    yield* injectOverlapNotice(context)
    yield* injectInstructionsNotice(context, seen)
    yield* injectProcessNotice(context, settled)
    yield* injectBackgroundNotice(context)
    const spent = budgetEnd(context)
    if (spent) return spent
    if (isAtCap(context)) return yield* reportAtCap(context, signal)
    yield* compact(context, signal, 'due', failedSummary)
    const stopped = yield* askBeforeRequest(context, signal)
    if (stopped) return stopped
    const tried = yield* tryWays(context, signal)
    if (tried) return tried
    const asked = yield* requestReply(context, signal)
    if (!asked.ok) {
      if (asked.error.code === 'context_window_exceeded' && (yield* compact(context, signal, 'overflow'))) continue
      return asked.spent === undefined ? modelEnd(asked.error) : budgetSpent(asked.spent)
    }
    if (asked.shortenedBy !== undefined && asked.message.stopReason === 'max_tokens')
      return budgetSpent(asked.shortenedBy)
    const ended = replyEnd(asked.message)
    if (ended && isEmpty(asked.message) && mayAskAgain(context)) {
      yield [noticeEntry(context.nextId() as MessageId, emptyReplyNotice, { kind: 'empty_reply' })]
      continue
    }
    if (ended) {
      if (ended.status === 'done' && (yield* hearBackground(context, signal))) continue
      if (ended.status === 'done' && (yield* sendBack(context, signal))) continue
      const end = yield* endWithGoal(context, ended, progress, signal)
      if (end?.status === 'done') tellIdle(context)
      if (end) return end
      continue
    }
    yield* executeToolCalls(context, signal)
    const stoppedBy = stoppedByStage(context)
    if (stoppedBy) return stoppedBy
    if (context.mode === 'step')
      return { status: 'interrupted', reason: 'step', message: 'Paused after a step. Continue to go on.' }
  }
}

/**
 * After the last reply, waits until one of the subagents in the background has ended. True when the agent has something to
 * hear then: of that one, or from a person.
 */
async function* hearBackground(context: LoopContext, signal: AbortSignal): LoopSteps<boolean> {
  for (;;) {
    if (isAsked(context)) {
      yield* deliver(context, 'any')
      return true
    }
    if ((await context.background.untold()).length > 0) return true
    if (!context.background.isRunning()) return false
    await context.background.untilNews(signal)
  }
}

/** The end of a run, unless the goal of the thread sends the agent back. Undefined goes on. */
async function* endWithGoal(
  context: LoopContext,
  end: RunEnd | undefined,
  progress: GoalProgress,
  signal: AbortSignal,
): LoopSteps<RunEnd | undefined> {
  if (end?.status !== 'done' || context.mode === 'compact') return end
  const misfit = yield* endWithAnswer(context)
  if (misfit) return misfit === 'again' ? undefined : misfit
  const reached = yield* pursueGoal(context, progress, signal)
  if (reached === 'again') return undefined
  return reached === 'done' ? end : reached
}

/**
 * Asks a subagent once for another answer when the one it gave does not fit its schema. `again` when it was asked; the
 * end of the run when there is no other answer to come; undefined for one that fits.
 */
async function* endWithAnswer(context: LoopContext): LoopSteps<'again' | RunEnd | undefined> {
  const problem = context.answerProblem()
  if (problem === null) return undefined
  const { messages, iterations } = context.thread()
  const before = messages.findLastIndex(({ role }, at) => role === 'assistant' && at < messages.length - 1)
  const wasAsked = messages.slice(before + 1).some((message) => isNotice(message, 'answer_misfit'))
  // A person who lets it go on wants another answer.
  if ((wasAsked && iterations > 0) || isAtCap(context))
    return failRun('invalid_answer', `The answer does not fit the schema: ${problem}`)
  const text = `Your answer does not fit the schema: ${problem}\nReply again with JSON alone that fits it.`
  yield [noticeEntry(context.nextId() as MessageId, text, { kind: 'answer_misfit' })]
  return 'again'
}

/**
 * A run that starts after a finished reply has nothing to ask: the process died between the reply and its end, or
 * somebody resumed a finished thread. After a reply that was cut, the model needs a message from the user to continue.
 */
async function* resumeRun(context: LoopContext): LoopSteps<RunEnd | undefined> {
  if ((context.mode === 'compact' || context.mode === 'calls') && !isAsked(context)) return done
  const { messages } = context.thread()
  const last = messages.at(-1)
  const lastNotice = (kind: Notice['kind']): number => messages.findLastIndex((message) => isNotice(message, kind))
  if (lastNotice('last_reply') > lastNotice('new_replies')) {
    yield [noticeEntry(context.nextId() as MessageId, newRepliesNotice, { kind: 'new_replies' })]
    yield* deliver(context, 'any')
    return undefined
  }
  const ended = last?.role === 'assistant' ? replyEnd(last) : undefined
  if (last?.role !== 'assistant' || !ended) return undefined
  if (isAsked(context)) yield* deliver(context, 'any')
  else if (ended.status === 'done') return ended
  else if (toolCallsOf(last).length === 0) yield [noticeEntry(context.nextId() as MessageId, continuationNotice)]
  return undefined
}

/** True when a person or the parent waits for an answer. A notice alone waits for the next run. */
function isAsked(context: LoopContext): boolean {
  return context.thread().queue.some(({ origin }) => origin !== 'notice')
}

/** The message that follows a reply that was cut. */
const continuationNotice = 'Continue.'

/** The message of a run that continues one which had used all its replies. */
const newRepliesNotice = 'You have new replies and can call tools again. Continue.'

/** Adds messages typed during the run to the conversation: `steer` at the next safe point, the rest after the run. */
async function* deliver(context: LoopContext, which: 'steer' | 'any'): LoopSteps {
  const due = context.thread().queue.filter(({ delivery }) => which === 'any' || delivery === 'steer')
  const entries = due.map(
    ({ delivery: _, ...message }): EntryBody => ({ type: 'message', message: { role: 'user', ...message } }),
  )
  if (entries.length > 0) yield entries
}

function budgetEnd(context: LoopContext): RunEnd | undefined {
  const spent = context.spentBudget()
  return spent === undefined ? undefined : budgetSpent(spent)
}

function budgetSpent(message: string): RunEnd {
  return { status: 'stopped', reason: 'budget', message }
}

function isAtCap({ limits, thread }: LoopContext): boolean {
  return thread().iterations >= limits.maxIterations
}

/** The message of an agent's last turn, after which it cannot call tools. */
const lastTurnNotice =
  'You have used all replies of this run, so you can call no more tools. In this last reply, say what you found and did, and what is left to do.'

/** Lets an agent that used all its replies say once, without tools, what it found. What it knows would be lost. */
async function* reportAtCap(context: LoopContext, signal: AbortSignal): LoopSteps<RunEnd> {
  const { iterations, messages } = context.thread()
  const { maxIterations } = context.limits
  const end: RunEnd = {
    status: 'stopped',
    reason: 'budget',
    message: `Stopped after ${maxIterations} model replies (max_iterations). Continue to go on with a new budget.`,
  }
  if (iterations > maxIterations) return end
  if (!isNotice(messages.at(-1), 'last_reply'))
    yield [noticeEntry(context.nextId() as MessageId, lastTurnNotice, { kind: 'last_reply' })]
  const asked = yield* requestReply(context, signal, { toolChoice: 'none' })
  return asked.ok ? end : { ...end, message: `${end.message} Its last report failed: ${asked.error.message}` }
}

function isNotice(message: Message | undefined, kind: Notice['kind']): boolean {
  return message?.role === 'user' && noticeIn(message)?.kind === kind
}

function modelEnd(error: ModelError): RunEnd {
  const reason = error.code === 'context_window_exceeded' ? 'context_window_exceeded' : 'model_error'
  return { status: 'failed', reason, message: error.message, cause: error.code }
}

/** The message that follows a reply with nothing in it, once. */
const emptyReplyNotice =
  'Your last reply had neither text nor a call of a tool, so nobody can see what came of it. Go on with the task, or give your final answer as text.'

/** True after the first reply of a row that had nothing in it. */
function mayAskAgain(context: LoopContext): boolean {
  return !isAtCap(context) && !isNotice(context.thread().messages.at(-2), 'empty_reply')
}

/** True for a reply that should say or do something and does neither. Thoughts alone are no answer. */
function isEmpty({ content, stopReason }: AssistantMessage): boolean {
  return !endsWithoutText.has(stopReason) && content.every((part) => isThought(part) || isBlank(part))
}

/** Reasons that say why there may be nothing. */
const endsWithoutText: ReadonlySet<AssistantMessage['stopReason']> = new Set([
  'max_tokens',
  'refusal',
  'context_window_exceeded',
])

function isThought({ type }: AssistantPart): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

function isBlank(part: AssistantPart): boolean {
  return part.type === 'text' && part.text.trim() === ''
}

/** How a reply ends the run; undefined when there is more to do. */
function replyEnd(message: AssistantMessage): RunEnd | undefined {
  if (isEmpty(message))
    return failRun(
      'model_error',
      'The model ended its reply with neither text nor a call. Continue to ask again, or choose another model.',
    )
  switch (message.stopReason) {
    case 'tool_use':
      return message.content.some(({ type }) => type === 'tool_call') ? undefined : done
    case 'pause_turn':
      return undefined
    case 'end_turn':
    case 'stop_sequence':
      return done
    case 'max_tokens':
      return failRun(
        'max_tokens',
        'The reply was cut at the model’s output limit. Continue to let it go on, or ask for smaller steps.',
      )
    case 'refusal':
      return failRun(
        'refusal',
        'The model refused to go on with this request. Rephrase the task or choose another model.',
      )
    case 'context_window_exceeded':
      return failRun(
        'context_window_exceeded',
        'The conversation no longer fits the model’s window. Summarise it with /compact, start a new thread or choose a model with a larger window.',
      )
    case 'unknown':
      return failRun('model_error', 'The model ended its reply for a reason this version does not know.')
    default:
      return assertNever(message.stopReason)
  }
}

const done: RunEnd = { status: 'done', reason: 'completed', message: '' }

function failRun(reason: RunEnd['reason'], message: string): RunEnd {
  return { status: 'failed', reason, message }
}
