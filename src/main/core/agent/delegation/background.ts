import type { JsonObject } from '#shared/base/json.ts'
import { type Call, resultOf as storedResult } from '#shared/model/calls/call.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import { openCalls, type ThreadState } from '#shared/model/thread.ts'
import { commitAlways } from '../../journal/project-log.ts'
import type { BackgroundSubagents, SubagentView } from '../../tools/delegate/delegation.ts'
import { endedReport, endMark } from '../../tools/delegate/subagent-tools.ts'
import type { AgentServices } from '../types/services.ts'
import { outcomeOf, runLinked } from './subagents.ts'

/** Subagents that work while the agent that started them goes on. */
export interface Background {
  /** Starts again those that a crash or a closed app cut off. */
  resume(): void
  isRunning(): boolean
  /** What ended ones came to, each as JSON, as far as the conversation does not say it yet. */
  untold(): Promise<readonly string[]>
  /** Resolves when another one has ended, or a message for the agent has come. Rejects with the abort reason. */
  untilNews(signal: AbortSignal): Promise<void>
}

/** What the active runs offer. */
export interface BackgroundRuns {
  /** Resolves when the run of a thread has ended. Undefined when none is active. */
  ended(threadId: ThreadId): Promise<void> | undefined
  /** Runs a thread to its end, below its parent's run or for itself. */
  run(caller: ThreadId, threadId: ThreadId): Promise<void>
  stop(threadId: ThreadId): Promise<void>
  /** Marks the caller as waiting for subagents. */
  delegate<Value>(
    caller: ThreadId,
    threadIds: readonly ThreadId[],
    until: 'any' | 'all',
    wait: () => Promise<Value>,
  ): Promise<Value>
  /** Resolves at the next message for a running thread. Rejects with the abort reason. */
  untilMessage(threadId: ThreadId, signal: AbortSignal): Promise<void>
}

export function createBackground(services: AgentServices, runs: BackgroundRuns): BackgroundSubagents {
  const { log, ids } = services
  const isOver = (id: ThreadId) => runs.ended(id) === undefined
  return {
    begin(caller, threadIds) {
      for (const id of threadIds) void runLinked(services, id, () => runs.run(caller, id))
    },
    list: (caller) => childrenOf(log.state, caller).map((thread) => viewOf(thread, !isOver(thread.id))),
    async waitFor(caller, threadIds, until, signal) {
      const ends = threadIds.flatMap((id) => runs.ended(id) ?? [])
      const isDone = ends.length === 0 || (until === 'any' && ends.length < threadIds.length)
      if (!isDone)
        await runs.delegate(caller, threadIds, until, () =>
          untilAborted<unknown>(until === 'any' ? Promise.race(ends) : Promise.all(ends), signal),
        )
      return Promise.all(threadIds.filter(isOver).map((id) => outcomeOf(services, id)))
    },
    tell(caller, threadId, text) {
      const message = {
        messageId: ids.next() as MessageId,
        origin: 'parent',
        content: [{ type: 'text', text }],
      } as const
      const thread = log.state.threads.get(threadId)
      // Calls without a result must be settled before anything may follow them.
      const waits = !isOver(threadId) || (thread !== undefined && openCalls(thread).length > 0)
      commitAlways(log, [
        waits
          ? { type: 'message.queued', threadId, queued: { ...message, delivery: 'steer' } }
          : { type: 'message', threadId, message: { role: 'user', ...message } },
      ])
      if (!isOver(threadId)) return 'queued'
      void runs.run(caller, threadId)
      return 'begun'
    },
    stop: (threadId) => runs.stop(threadId),
  }
}

/** The subagents that the agent of a thread started without waiting. */
export function backgroundOf(services: AgentServices, runs: BackgroundRuns, caller: ThreadId): Background {
  const { log } = services
  const children = () => {
    const parent = log.state.threads.get(caller)
    return parent
      ? childrenOf(log.state, caller).filter(({ parent: link }) =>
          isUnwaited(parent.calls.get(link?.callId ?? ('' as never))),
        )
      : []
  }
  const running = () => children().flatMap(({ id }) => (runs.ended(id) === undefined ? [] : [id]))
  return {
    resume() {
      for (const { id, end } of children())
        if ((end === null || end.status === 'interrupted') && runs.ended(id) === undefined)
          void runLinked(services, id, () => runs.run(caller, id))
    },
    isRunning: () => running().length > 0,
    async untold() {
      const over = children().filter(
        ({ id, end }) => end !== null && end.status !== 'interrupted' && runs.ended(id) === undefined,
      )
      if (over.length === 0) return []
      const told = textsOf(log.state.threads.get(caller))
      const untold = over.filter(
        ({ parent, end }) => parent && !told.some((text) => text.includes(endMark(parent.handle, end?.at ?? 0))),
      )
      return Promise.all(untold.map(async ({ id }) => JSON.stringify(endedReport(await outcomeOf(services, id)))))
    },
    untilNews(signal) {
      const ids = running()
      const over = new AbortController()
      const message = runs.untilMessage(caller, AbortSignal.any([signal, over.signal]))
      message.catch(() => undefined)
      const ends = ids.flatMap((id) => runs.ended(id) ?? [])
      return runs.delegate(caller, ids, 'any', () => Promise.race([...ends, message])).finally(() => over.abort())
    },
  }
}

/** True for the call that started subagents and did not wait for them. */
function isUnwaited(call: Call | undefined): boolean {
  const args: JsonObject = call?.decision?.type === 'edit' ? call.decision.args : (call?.input ?? {})
  return call?.name === 'spawn_subagents' && args.wait === false
}

function viewOf(thread: ThreadState, isRunning: boolean): SubagentView {
  const { id, parent, agent, status, calls, messages } = thread
  if (!parent) throw new Error(`Thread ${id} is no subagent`)
  const last = [...calls.values()].at(-1)
  const said = messages.findLast(({ role }) => role === 'assistant')
  return {
    ...{ threadId: id, handle: parent.handle, name: agent, task: parent.task, status, isRunning },
    doing: last && storedResult(last) === null ? last.name : null,
    said: said ? textOf(said.content) : '',
  }
}

function textsOf(thread: ThreadState | undefined): readonly string[] {
  if (!thread) return []
  const notices = thread.messages.flatMap((message) =>
    message.role === 'user' && message.origin === 'notice' ? [textOf(message.content)] : [],
  )
  return [...notices, ...[...thread.calls.values()].map((call) => textOf(storedResult(call)?.content ?? []))]
}

function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
