import type { JsonObject } from '#shared/base/json.ts'
import type { HookEvent } from '#shared/model/calls/hooks.ts'
import type { MessageId } from '#shared/model/ids.ts'
import { type Message, textOf } from '#shared/model/message.ts'
import { answeringModel, answerOf } from '#shared/model/thread.ts'
import { noticeEntry } from '../../journal/notices.ts'
import type { Commit, LoopSteps } from '../calls/call-context.ts'
import type { LoopContext, RunEnd } from '../types/loop-context.ts'
import { sentence } from './agent-stages.ts'
import type { StagesSaid } from './stage.ts'

/** How often in a row hooks may send an agent back that wants to stop. */
const mostSentBack = 8

/** Tells hooks that the thread begins, or goes on after the app was started again. */
export async function* beginThread(context: LoopContext, signal: AbortSignal): LoopSteps {
  const { stages, thread } = context
  const { parent, agentType, stages: known } = thread()
  const waiting = stages
    .waiting()
    .filter(({ by }) => !known?.shown.some(({ notes }) => notes.some((one) => one.by === by)))
  if (waiting.length > 0 && parent === null)
    yield [{ type: 'stages.asked', moment: 'waiting', callId: null, notes: waiting }]
  const isNew = stages.begins()
  const began = known?.began === true || thread().messages.some(({ role }) => role === 'assistant')
  if (parent !== null) {
    if (!began)
      yield* tellAgent(
        context,
        'SubagentStart',
        agentType,
        { agent_id: context.threadId, agent_type: agentType },
        signal,
      )
    return
  }
  if (began && !isNew) return
  const source = began ? 'resume' : 'startup'
  yield* tellAgent(context, 'SessionStart', source, { source, model: answeringModel(thread()) }, signal)
}

/** Asks hooks at a moment at which nothing can be refused, and tells the agent what they add. */
async function* tellAgent(
  context: LoopContext,
  moment: HookEvent,
  kind: string,
  facts: JsonObject,
  signal: AbortSignal,
): LoopSteps {
  const asked = await context.stages.at(moment, { kind, facts }, signal)
  if (asked) yield [asked.entry, ...addedBy(context, asked.said)]
}

function addedBy(context: LoopContext, { add }: StagesSaid): Commit {
  return add.map((text) => noticeEntry(context.nextId() as MessageId, text))
}

/** Asks stages before a request: about what a person wrote since the last one, and about the request itself. */
export async function* askBeforeRequest(context: LoopContext, signal: AbortSignal): LoopSteps<RunEnd | undefined> {
  const withheld = yield* askAboutMessages(context, signal)
  if (withheld) return withheld
  const { add, end } = await context.stages.beforeRequest(signal)
  if (add.length > 0) yield add.map((text) => noticeEntry(context.nextId() as MessageId, text))
  if (end === null) return undefined
  if (end.failed) return { status: 'failed', reason: 'internal_error', message: end.message }
  return { status: 'stopped', reason: 'user', message: end.message }
}

/** Asks stages about what a person wrote, before any agent reads it. Returns the end of the run where one withholds it. */
export async function* askAboutMessages(context: LoopContext, signal: AbortSignal): LoopSteps<RunEnd | undefined> {
  for (const message of unaskedMessages(context)) {
    const asked = await context.stages.at('UserPromptSubmit', { facts: { prompt: textOf(message.content) } }, signal)
    if (!asked) break
    const { said, entry } = asked
    yield [{ ...entry, messageId: message.messageId }, ...addedBy(context, said)]
    if (said.verdict?.kind === 'refuse') {
      const { by, reason } = said.verdict
      return { status: 'stopped', reason: 'user', message: `The message was withheld by ${by}: ${reason}` }
    }
  }
  return stoppedByStage(context)
}

/** What a person wrote after the last reply and no hook was asked about. */
function unaskedMessages({ thread }: LoopContext): readonly Message[] {
  const { messages, stages } = thread()
  const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const asked = messages.findLastIndex(({ messageId }) => messageId === stages?.asked)
  return messages
    .slice(Math.max(from, asked + 1))
    .filter((message) => message.role === 'user' && message.origin === 'person')
}

/** The end that a hook wants. */
export function stoppedByStage({ thread }: LoopContext): RunEnd | undefined {
  const stop = thread().stages?.stop ?? null
  return stop === null ? undefined : { status: 'stopped', reason: 'user', message: sentence(stop) }
}

/** True when hooks send an agent back that has ended its work. They may do that a number of times in a row. */
export async function* sendBack(context: LoopContext, signal: AbortSignal): LoopSteps<boolean> {
  const { stages, parent, agentType } = context.thread()
  const times = stages?.sentBack ?? 0
  const moment = parent === null ? 'Stop' : 'SubagentStop'
  const facts = {
    stop_hook_active: times > 0,
    last_assistant_message: answerOf(context.thread()),
    ...(parent && { agent_id: context.threadId, agent_type: agentType, agent_transcript_path: '' }),
  }
  const asked = await context.stages.at(moment, { ...(parent && { kind: agentType }), facts }, signal)
  if (!asked) return false
  const { said, entry } = asked
  const refuses = said.verdict?.kind === 'refuse' && said.stop === null
  if (!refuses) {
    yield [entry]
    return false
  }
  if (times >= mostSentBack) {
    const problem = `It wants the agent to go on, but it did so ${mostSentBack} times in a row, so the run ends.`
    const { verdict: _, ...rest } = entry
    yield [{ ...rest, notes: entry.notes.map(({ verdict, ...note }) => (verdict ? { ...note, problem } : note)) }]
    return false
  }
  const reason = said.verdict?.reason ?? ''
  yield [entry, noticeEntry(context.nextId() as MessageId, reason), ...addedBy(context, said)]
  return true
}

/** Tells hooks that an agent waits for its person. */
export function tellIdle({ stages, thread }: LoopContext): void {
  const kind = 'idle_prompt'
  if (thread().parent === null)
    stages.tell('Notification', {
      kind,
      facts: { message: 'The agent is done and waits for you', notification_type: kind },
    })
}
