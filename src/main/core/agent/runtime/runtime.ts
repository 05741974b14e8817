import type { JsonObject } from '#shared/base/json.ts'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { InterruptId, MessageId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { CommandUse, UserMessage, UserPart } from '#shared/model/message.ts'
import { familyOf, rootThreadOf } from '#shared/model/project-state.ts'
import { openCalls, type QueuedMessage, type ThreadState } from '#shared/model/thread.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import { steerNoticeEntry } from '../../journal/notices.ts'
import { commitAlways } from '../../journal/project-log.ts'
import { readThread } from '../../journal/read-thread.ts'
import { argumentSchemaOf } from '../calls/argument-schemas.ts'
import type { Commit } from '../calls/call-context.ts'
import { DecisionError, decisionProblem } from '../calls/decisions.ts'
import type { CallPreview } from '../calls/preview-call.ts'
import { assumedPriceOf, priceProblem } from '../delegation/budgets.ts'
import { type BatchWish, busy, planBatchChange, retryNotice, retryProblem } from '../delegation/change-batch.ts'
import { forkForProposal, type ProposalPlace, type TextConflict } from '../delegation/propose-resolution.ts'
import type { ExternalSessions } from '../external/external-sessions.ts'
import { endEntries, RunCut, stoppedEnd } from '../loop/run.ts'
import type { BranchProcesses } from '../processes/branch-processes.ts'
import { missingTools } from '../prompt/capabilities.ts'
import type { RunLimits, RunMode } from '../types/loop-context.ts'
import type { AgentServices } from '../types/services.ts'
import { missingModels, policyProblems, rulesWithoutTool, unusedSampling } from './agent-policy.ts'
import { type NewThread, newThreadEntries } from './new-thread.ts'
import { previewWaiting } from './preview-waiting.ts'
import { createRunRegistry, type RunRegistry } from './run-registry.ts'

export interface RunOptions {
  /** True to pause the root agent after every turn. */
  readonly step: boolean
  /** Who speaks in a message: a person unless it says otherwise. */
  readonly origin?: 'person' | 'notice'
  /** What the command of the message says about its run. Absent for nothing. */
  readonly command?: CommandUse | undefined
  /** How often the message is tried at once. Absent for a message that the agent answers. */
  readonly attempts?: UserMessage['attempts']
}

function modeOf(options: RunOptions | undefined): RunMode {
  return options?.step ? 'step' : 'work'
}

/**
 * Starts, stops and resumes the agents of one project. The log holds all their state; this holds only what runs now.
 */
export interface AgentRuntime extends AsyncDisposable {
  /**
   * Why no run with the model should start now, in sentences for a person; empty when nothing is wrong. Reads extensions
   * again, unless they are wanted as they were loaded last.
   */
  findStartProblems(model: string, definitions?: 'as loaded'): Promise<readonly string[]>
  /**
   * What does not hold as settings or definitions say, in sentences for a person. Extensions as last loaded. `model` is
   * that of the run.
   */
  warnings(model?: string): readonly string[]
  /** Why attempts at a message cannot be made as they are wanted, in a sentence for a person; null when they can. */
  attemptsProblem(wish: NonNullable<UserMessage['attempts']>, model: string): string | null
  /** What a run with the model may cost, in US dollars, and what it counts with when the model's price is unknown. */
  limitOf(model: string): Pick<RunLimits, 'cost' | 'assumedPrice'>
  /** Stores the thread and its empty workspace; starts no run. */
  createThread(options: NewThread): ThreadId
  /** Stores a new thread with its first message in one commit, so a crash leaves both or none, and starts its run. */
  begin(options: NewThread, first: (threadId: ThreadId) => readonly UserPart[], run?: RunOptions): ThreadId
  /** Starts a run, or queues the message during a run. */
  send(
    threadId: ThreadId,
    content: readonly UserPart[],
    delivery: QueuedMessage['delivery'],
    options?: RunOptions,
  ): void
  /** Summarises the older part of the conversation, at the next safe point of a run or at once. */
  compact(threadId: ThreadId, options?: { readonly goOn?: boolean }): void
  /** Ends the wait of a request that failed and is tried again. Does nothing when none waits. */
  retryNow(threadId: ThreadId): void
  /** Call after the machine slept, so that no request waits for an answer that was lost meanwhile. */
  wake(): void
  /** Continues after a pause, a stop, a failure or a restart. Does nothing while the thread runs. */
  resume(threadId: ThreadId, options?: RunOptions): void
  /** Runs the unsuccessful tasks of a finished batch again. Throws `DecisionError` when that is not possible now. */
  retryBatch(threadId: ThreadId, callId: ToolCallId): void
  /** Ends the tasks of a batch; the agent that started it goes on. One that does not run yet ends with its agent, and one that ended stays. */
  stopBatch(threadId: ThreadId, callId: ToolCallId): void
  /** Changes a batch that has not ended. What changes counts when its next task starts. Throws `DecisionError`. */
  changeBatch(threadId: ThreadId, callId: ToolCallId, change: BatchWish): void
  /** Starts a subagent that proposes a text for a conflict between the branch and its parent. */
  proposeResolution(place: ProposalPlace, conflict: TextConflict): ThreadId
  /** Ends every running or waiting agent of the thread, subagents included. */
  stop(threadId: ThreadId): void
  /** Stops every running agent of the family and resolves when none runs. Waiting agents stay as they are. */
  halt(threadId: ThreadId): Promise<void>
  /** Like `halt`, for a thread that is deleted. Its agents can continue once it is restored. */
  suspend(threadId: ThreadId): Promise<void>
  /** Throws the `DecisionError` that `decide` would throw. Stores nothing. */
  checkDecisions(threadId: ThreadId, interruptId: InterruptId, decisions: readonly Decision[]): void
  /**
   * What a waiting call would do if it ran now, with its own arguments or a person's edit of them. Undefined when that
   * cannot be known without running it for real.
   */
  preview(
    threadId: ThreadId,
    callId: ToolCallId,
    args: JsonObject | undefined,
    signal: AbortSignal,
  ): Promise<CallPreview | undefined>
  /** Stores decisions and lets the agent continue. Throws `DecisionError` and stores none when one of them is wrong. */
  decide(threadId: ThreadId, interruptId: InterruptId, decisions: readonly Decision[], options?: RunOptions): void
  /** Asks a model about a thread, beside its runs and within its budgets. The error is a sentence for a person. */
  readonly ask: RunRegistry['ask']
  /** Asks hooks about something outside of runs. Returns why they refuse; null when they do not. */
  readonly askHooks: RunRegistry['askHooks']
  /** The commands of agents that stay. */
  readonly processes: BranchProcesses
  /** The external agents that work in the project. */
  readonly external: ExternalSessions
  /** Resolves when no agent of the thread's family can go on without a person. */
  whenIdle(threadId: ThreadId): Promise<void>
}

export function createAgentRuntime(services: AgentServices, merges: BranchMerges): AgentRuntime {
  const { log, ids } = services
  const runs = createRunRegistry(services, merges)
  const requireThread = (threadId: ThreadId): ThreadState => {
    const thread = readThread(log, threadId)
    if (!thread) throw new DecisionError('not_found', `There is no thread ${threadId}.`)
    return thread
  }
  const commit = (threadId: ThreadId, entries: Commit) => {
    const drafts = entries.map((entry) => ({ threadId, ...entry }))
    if (isNonEmpty(drafts)) commitAlways(log, drafts)
  }
  const checkDecisions: AgentRuntime['checkDecisions'] = (threadId, interruptId, decisions) => {
    const schemaOf = (tool: string) => argumentSchemaOf(tool, services.extensions.current())
    const problem = decisionProblem(requireThread(threadId), interruptId, decisions, schemaOf)
    if (problem) throw problem
  }
  const endFamily = async (threadId: ThreadId, by: RunCut['by']): Promise<void> => {
    const running = () => familyOf(log.state, rootThreadOf(log.state, threadId)).filter(({ id }) => runs.has(id))
    // A message sent meanwhile starts another run.
    while (running().length > 0) await Promise.all(running().map(({ id }) => runs.end(id, new RunCut(by))))
  }
  const stop = (threadId: ThreadId): void => {
    // Subagents in the background may outlive the run that started them.
    for (const { id } of familyOf(log.state, threadId)) runs.cut(id, new RunCut('stop'))
    if (runs.has(threadId)) return
    // Nothing runs here, but a pause or a restart may have left calls that wait for a person.
    for (const thread of familyOf(log.state, threadId)) {
      if (thread.end?.status === 'interrupted') commit(thread.id, endEntries(thread, stoppedEnd, services.clock.now()))
    }
  }
  return {
    processes: runs.processes,
    external: runs.external,
    async findStartProblems(model, definitions) {
      if (definitions === undefined) await services.extensions.reload()
      // Only a name that is unknown so far may belong to a server, and a person waits for this answer.
      if (policyProblems(services).length > 0) await services.extensions.refresh()
      const price = priceProblem(services, model)
      return [...policyProblems(services), ...(price === undefined ? [] : [price])]
    },
    warnings: (model) => [
      ...policyProblems(services),
      ...rulesWithoutTool(services),
      ...missingTools(services.extensions.current(), services.settings().fetchesPages),
      ...missingModels(services, model ?? null),
      ...unusedSampling(services, model ?? null),
    ],
    attemptsProblem: (wish, model) => runs.batches.attempts.problem(wish, { model }) ?? null,
    limitOf: (model) => ({
      cost: services.settings().budgets.run.cost,
      assumedPrice: assumedPriceOf(services, model),
    }),
    checkDecisions,
    async preview(threadId, callId, args, signal) {
      const thread = requireThread(threadId)
      const call = thread.calls.get(callId)
      if (!call) throw new DecisionError('not_found', `The call ${callId} does not exist in this thread.`)
      return previewWaiting(services, { thread, call, args, signal, helpers: { ...runs, merges } })
    },
    createThread(options) {
      const threadId = ids.next() as ThreadId
      commit(threadId, newThreadEntries(services, options, threadId))
      return threadId
    },
    begin(options, first, run) {
      const { id: threadId = ids.next() as ThreadId } = options
      const message = {
        role: 'user',
        messageId: ids.next() as MessageId,
        origin: 'person',
        content: first(threadId),
        ...(run?.command && { command: run.command }),
        ...(run?.attempts && { attempts: run.attempts }),
      } as const
      commit(threadId, [...newThreadEntries(services, options, threadId), { type: 'message', message }])
      runs.start(threadId, modeOf(run))
      return threadId
    },
    send(threadId, content, delivery, options) {
      const attempts = options?.attempts && { attempts: options.attempts }
      if (attempts && (runs.has(threadId) || openCalls(requireThread(threadId)).length > 0)) throw busy
      const messageId = ids.next() as MessageId
      const command = options?.command && { command: options.command }
      const message = { messageId, origin: options?.origin ?? 'person', content, ...command }
      // Calls without a result must be settled before anything may follow them, so a message waits for that.
      const isFirst = runs.isEnding(threadId) || !runs.has(threadId)
      if (!isFirst) {
        commit(threadId, [{ type: 'message.queued', queued: { ...message, delivery } }])
        runs.heard(threadId)
      } else if (runs.has(threadId) || openCalls(requireThread(threadId)).length > 0) {
        commit(threadId, [{ type: 'message.queued', queued: { ...message, delivery: 'steer' } }])
      } else commit(threadId, [{ type: 'message', message: { role: 'user', ...message, ...attempts } }])
      runs.start(threadId, modeOf(options))
    },
    retryNow: (threadId) => runs.wake(requireThread(threadId).id),
    wake: () => runs.wakeAll(),
    compact(threadId, { goOn = false } = {}) {
      requireThread(threadId)
      commit(threadId, [{ type: 'compaction.requested' }])
      if (!runs.has(threadId)) runs.start(threadId, goOn ? 'work' : 'compact')
    },
    resume(threadId, options) {
      const thread = requireThread(threadId)
      const head = familyHead(services, thread)
      const above = waitingParent(services, thread)
      // The agents beside it still work. The call that started them waits for this one too.
      if (above !== null && runs.has(above)) runs.startBelow(above, threadId, modeOf(options))
      else runs.start(head, modeOf(options))
    },
    retryBatch(threadId, callId) {
      const problem = runs.has(threadId) ? busy : retryProblem(log.state, requireThread(threadId), callId)
      if (problem) throw problem
      commit(threadId, [{ type: 'batch.retried', callId }, steerNoticeEntry(ids.next() as MessageId, retryNotice)])
      runs.start(threadId, 'calls')
    },
    changeBatch(threadId, callId, change) {
      const changed = planBatchChange(services, requireThread(threadId), callId, change)
      if (!changed.ok) throw changed.error
      // Another window may have dropped all that was left.
      if (Object.keys(changed.value).length === 0) return
      commit(threadId, [{ type: 'batch.changed', callId, ...changed.value }])
      runs.batches.heard({ threadId, callId })
    },
    stopBatch(threadId, callId) {
      const hasEnded = resultOf(log.state.threads.get(threadId)?.calls.get(callId)) != null
      const call = { threadId, callId }
      if (!hasEnded && !runs.batches.stop(call) && !runs.batches.attempts.stop(call)) stop(threadId)
    },
    proposeResolution(place, conflict) {
      const threadId = forkForProposal(services, place, conflict)
      runs.start(threadId, 'work')
      return threadId
    },
    stop,
    halt: (threadId) => endFamily(threadId, 'stop'),
    suspend: (threadId) => endFamily(threadId, 'deletion'),
    decide(threadId, interruptId, decisions, options) {
      const thread = requireThread(threadId)
      checkDecisions(threadId, interruptId, decisions)
      commit(
        threadId,
        decisions.map((decision) => ({ type: 'interrupt.decided', interruptId, decision })),
      )
      runs.wake(threadId)
      if (!runs.has(threadId)) runs.start(familyHead(services, thread), modeOf(options))
    },
    ask: runs.ask,
    askHooks: runs.askHooks,
    whenIdle: (threadId) => runs.whenIdle(threadId),
    [Symbol.asyncDispose]: () => runs.shutDown(),
  }
}

/** The agent above whose call waits for this thread's result; null for none, and for a batch, which has its own retry. */
function waitingParent({ log }: AgentServices, { parent }: ThreadState): ThreadId | null {
  const above = parent && log.state.threads.get(parent.threadId)
  const call = above && openCalls(above).find(({ callId }) => callId === parent.callId)
  return call && call.batch === null ? above.id : null
}

/** The highest agent whose open call waits for this thread. It must continue first and takes the thread along. */
function familyHead(services: AgentServices, thread: ThreadState): ThreadId {
  const { parent } = thread
  const above = parent && services.log.state.threads.get(parent.threadId)
  const waits = above && openCalls(above).some(({ callId }) => callId === parent.callId)
  return waits ? familyHead(services, above) : thread.id
}
