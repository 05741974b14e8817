import type { MessageId } from '#shared/model/ids.ts'
import type { UserMessage } from '#shared/model/message.ts'
import { openCalls, type ThreadState } from '#shared/model/thread.ts'
import { noticeEntry } from '../../journal/notices.ts'
import { BranchMountError } from '../../ports/branch-mounts.ts'
import { type AgentUpdate, ExternalAgentError, type PromptPart } from '../../ports/programs/external-agent.ts'
import { ShellError } from '../../ports/shell.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import { answerEntry } from '../calls/finish-call.ts'
import { injectBackgroundNotice } from '../delegation/background-notice.ts'
import { injectOverlapNotice } from '../drift/overlap-notice.ts'
import { type GoalProgress, impossibleGoal, pursueGoal } from '../loop/pursue-goal.ts'
import { withRefusedHosts } from '../loop/refused-hosts.ts'
import { askAboutMessages } from '../stages/around-turns.ts'
import type { ExternalProgram } from '../types/agent-definition.ts'
import type { LoopContext, RunEnd } from '../types/loop-context.ts'
import type { AskedCall } from './asked-tools.ts'
import { chooseOwn } from './choose-own.ts'
import type { ExternalSession } from './external-sessions.ts'
import { beginTurn, finishTurn, takeAsked, takeUpdate } from './external-turn.ts'
import { finishLostAsked, listOwnTools } from './own-tools.ts'
import { promptOf } from './prompt-of.ts'

/**
 * One run of an external agent. It works in a kept view of its branch with its own tools, and tells of its calls. Each becomes
 * a call of the journal, stored with what the agent changed until its end. Messages that come meanwhile wait for the end of
 * the turn.
 */
export async function* runExternalAgent(
  context: LoopContext,
  program: ExternalProgram,
  signal: AbortSignal,
): LoopSteps<RunEnd> {
  try {
    return yield* answerAll(context, program, signal)
  } finally {
    context.external.rest(context.threadId)
  }
}

async function* answerAll(context: LoopContext, program: ExternalProgram, signal: AbortSignal): LoopSteps<RunEnd> {
  if (context.mode === 'compact') return looksAfterItself
  const impossible = impossibleGoal(context)
  if (impossible) return impossible
  const progress: GoalProgress = { attempts: 0 }
  context.background.resume()
  yield* finishLostAsked(context, signal)
  yield* endLostCalls(context)
  for (;;) {
    signal.throwIfAborted()
    const spent = context.spentBudget()
    if (spent !== undefined) return { status: 'stopped', reason: 'budget', message: spent }
    if (isCut(context.thread())) yield [noticeEntry(context.nextId() as MessageId, cutNotice)]
    if (unanswered(context.thread()).length > 0) {
      const withheld = yield* askAboutMessages(context, signal)
      if (withheld) return withheld
      // It goes along with what the agent is told anyway, and begins no turn.
      yield* injectOverlapNotice(context)
      const end = yield* runTurn(context, program, unanswered(context.thread()), signal)
      if (end.status !== 'done') return end
      if (isSilent(context.thread())) return silent
    }
    const { queue } = context.thread()
    if (queue.some(({ origin, notice }) => origin !== 'notice' || notice?.kind === 'late_results')) {
      yield queue.map(({ delivery: _, ...message }) => ({ type: 'message', message: { role: 'user', ...message } }))
      continue
    }
    if (yield* hearBackground(context, signal)) continue
    const misfit = context.answerProblem()
    if (misfit !== null)
      return { status: 'failed', reason: 'invalid_answer', message: `The answer does not fit the schema: ${misfit}` }
    const reached = yield* pursueGoal(context, progress, signal)
    if (reached !== 'again') return reached === 'done' ? done : reached
  }
}

/** Waits for subagents in the background. True when the agent has something to hear of them, or from a person. */
async function* hearBackground(context: LoopContext, signal: AbortSignal): LoopSteps<boolean> {
  for (;;) {
    if (yield* injectBackgroundNotice(context)) return true
    if (context.thread().queue.some(({ origin }) => origin !== 'notice')) return true
    if (!context.background.isRunning()) return false
    await context.background.untilNews(signal)
  }
}

const looksAfterItself: RunEnd = {
  status: 'stopped',
  reason: 'user',
  message: 'An external agent shortens its own conversation when it has to. There was nothing to summarise.',
}

/** Asking again would cost the same again, for nothing. */
const silent: RunEnd = {
  status: 'failed',
  reason: 'model_error',
  message: 'The agent ended its turn with neither text nor a call. Continue to ask again.',
}

const done: RunEnd = { status: 'done', reason: 'completed', message: '' }

/** True after a turn that never came to its end, whatever the agent said or did last. */
function isCut({ messages }: ThreadState): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.stopReason !== 'end_turn'
}

const cutNotice = 'Your turn was cut off before it ended. Go on where you were.'

/** The messages since the agent last said something. */
function unanswered({ messages }: ThreadState): readonly UserMessage[] {
  const replied = messages.findLastIndex((message) => message.role === 'assistant')
  return messages.slice(replied + 1).filter((message) => message.role === 'user')
}

/** True when the agent said nothing to what was said last. */
function isSilent({ messages }: ThreadState): boolean {
  return messages.at(-1)?.role === 'user'
}

/** Calls of a session that a crash or a stop has ended. */
async function* endLostCalls(context: LoopContext): LoopSteps {
  const open = openCalls(context.thread())
  if (open.length === 0) return
  const text = 'It was cut off before it ended. What it had changed until then is kept.'
  yield context.withCheckpoint(open.map((call) => answerEntry(context, call, 'cancelled', text)))
}

async function* runTurn(
  context: LoopContext,
  program: ExternalProgram,
  said: readonly UserMessage[],
  signal: AbortSignal,
): LoopSteps<RunEnd> {
  let session: ExternalSession | null = null
  let refusedBefore: readonly string[] = []
  let end: RunEnd
  try {
    const workspace = await context.openWorkspace(signal, { approved: false, written: [] })
    const start = { threadId: context.threadId, program, workspace, tools: listOwnTools(context) }
    const opened = await context.external.open(start, signal)
    session = opened.session
    if (opened.entries.length === 0) refusedBefore = session.refusedHosts()
    if (opened.entries.length > 0) yield opened.entries
    await session.follow(signal)
    await chooseOwn(context, program, session, signal)
    const prompt = await promptOf(context, session, said, workspace.files)
    session.remembers = true
    end = yield* listen(context, session, prompt, signal)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const isExpected =
      error instanceof ExternalAgentError || error instanceof ShellError || error instanceof BranchMountError
    if (!isExpected) throw error
    yield* endLostCalls(context)
    const cause = error instanceof ExternalAgentError && error.code === 'login' ? { cause: 'login' } : {}
    end = { status: 'failed', reason: 'model_error', message: error.message, ...cause }
  }
  // What it was kept from in turns that came to their end does not explain this one.
  const refused = session?.refusedHosts().filter((host) => !refusedBefore.includes(host)) ?? []
  const explained = withRefusedHosts(end, refused)
  // Its next start has what is granted by then.
  if (explained !== end) await context.external.end(context.threadId)
  return explained
}

/** Hears one turn of the agent to its end. */
async function* listen(
  context: LoopContext,
  session: ExternalSession,
  prompt: readonly PromptPart[],
  signal: AbortSignal,
): LoopSteps<RunEnd> {
  const turn = beginTurn(context, session, signal)
  const stop = () => session.agent.cancel()
  signal.addEventListener('abort', stop, { once: true })
  try {
    using _open = session.asked.begin()
    for await (const update of heard(session, prompt, signal)) {
      if (update.type === 'asked') {
        yield* takeAsked(turn, update.calls)
        continue
      }
      if (update.type === 'end') {
        yield* finishTurn(turn, update.reason !== 'end_turn')
        session.keepCommands()
        return endOf(update.reason)
      }
      yield* takeUpdate(turn, update)
      const spent = update.type === 'usage' ? context.spentBudget() : undefined
      if (spent !== undefined) {
        stop()
        yield* finishTurn(turn, true)
        return { status: 'stopped', reason: 'budget', message: spent }
      }
    }
    return { status: 'failed', reason: 'model_error', message: 'The agent ended its turn without a reason.' }
  } finally {
    signal.removeEventListener('abort', stop)
    // Behind a turn that came to its end nothing is left. Whatever cut it, nobody hears this loop any more.
    const last = turn.messages.take(true)
    if (last) context.external.storeLast(context.threadId, last)
  }
}

/** What comes of the agent, and the calls of our tools. Throws the abort reason as soon as it is there, also while nothing comes. */
async function* heard(
  { agent, asked }: ExternalSession,
  prompt: readonly PromptPart[],
  signal: AbortSignal,
): AsyncGenerator<AgentUpdate | { readonly type: 'asked'; readonly calls: readonly AskedCall[] }> {
  const updates = agent.prompt(prompt)[Symbol.asyncIterator]()
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  aborted.catch(() => undefined)
  const nextUpdate = () => updates.next().then((update) => ({ update }))
  const nextCalls = () => asked.next().then((calls) => ({ calls }))
  let update: ReturnType<typeof nextUpdate> | null = null
  let calls = nextCalls()
  for (;;) {
    update ??= nextUpdate()
    const next = await Promise.race([update, calls, aborted])
    if ('calls' in next) {
      yield { type: 'asked', calls: next.calls }
      calls = nextCalls()
      continue
    }
    update = null
    if (next.update.done) return
    yield next.update.value
  }
}

function endOf(reason: Extract<AgentUpdate, { type: 'end' }>['reason']): RunEnd {
  switch (reason) {
    case 'end_turn':
      return done
    case 'max_tokens':
      return { status: 'failed', reason: 'max_tokens', message: 'The agent’s reply was cut at its output limit.' }
    case 'max_turn_requests':
      return {
        status: 'stopped',
        reason: 'budget',
        message: 'The agent used all requests that it allows itself for a turn.',
      }
    case 'refusal':
      return { status: 'failed', reason: 'refusal', message: 'The agent refused to go on. Rephrase the task.' }
    case 'cancelled':
      return { status: 'stopped', reason: 'user', message: 'The agent ended its turn because it was cancelled.' }
  }
}
