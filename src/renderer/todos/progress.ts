import { type Call, isAsking, openOutcome, resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { tokensOf } from '#shared/model/models/usage.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { describeCall, describeStep } from '#shared/tools/tool-labels.ts'
import { errorKind } from '../state/store/error-kind.ts'
import { isRunning } from '../state/store/selectors.ts'
import type { BatchKey } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'

interface AgentLine {
  /** Its last call, such as "Edited a.ts", or why it failed; empty before its first call. */
  readonly work: string
  /** Milliseconds from its start until now, or until its end. */
  readonly elapsed: number
  readonly tokens: number
}

export function describeAgent(thread: ThreadState, now: number): AgentLine {
  const started = thread.runStartedAt ?? thread.createdAt
  const last = [...thread.calls.values()].at(-1)
  const end = isRunning(thread) ? now : thread.updatedAt
  return {
    work: thread.status === 'failed' && thread.end ? causeOf(thread.end) : last ? describeLast(last) : '',
    elapsed: Math.max(end - started, 0),
    tokens: tokensOf(thread.usage),
  }
}

function causeOf({ cause, reason, message }: NonNullable<ThreadState['end']>): string {
  return strings.chat.errors.cause[errorKind(cause ?? null, reason, message)]
}

/** A call that waits or was rejected has done nothing, so it is told in the words of its approval. */
function describeLast(call: Call): string {
  const { decision, name, input } = call
  const result = resultOf(call)
  const what = describeCall(name, input).object
  if (isAsking(call)) return openOutcome(call) ? strings.effects.waits(what) : strings.agents.wants(name, what)
  if (result?.outcome === 'rejected' || (!result && decision?.type === 'reject'))
    return strings.agents.rejected(what || name)
  return describeStep([call])
}

/** What ends the work of some agents. */
interface WorkToStop {
  /** Running batches. Each also ends its tasks that have not begun. */
  readonly batches: readonly BatchKey[]
  /** The agents that no such batch runs. */
  readonly threads: readonly ThreadId[]
}

export function workToStop(threads: ReadonlyMap<ThreadId, ThreadState>, running: readonly ThreadState[]): WorkToStop {
  const batches = new Map<Call, BatchKey>()
  const others: ThreadId[] = []
  for (const { id, parent } of running) {
    const call = parent ? threads.get(parent.threadId)?.calls.get(parent.callId) : undefined
    if (parent && call?.batch && call.state.kind !== 'finished')
      batches.set(call, { threadId: parent.threadId, callId: parent.callId })
    else others.push(id)
  }
  return { batches: [...batches.values()], threads: others }
}

/** The agents of a thread as a list shows them. */
interface GroupedAgents {
  /** Failed agents first, then those that need the person, those at work, and stopped ones. */
  readonly shown: readonly ThreadState[]
  /** Those that are done, which a long list folds. */
  readonly done: readonly ThreadState[]
}

/** The most agents that a list shows without folding those that are done. */
const unfolded = 12

/** Groups agents and keeps their order in each group. A short list stays whole, after those that a person looks for. */
export function groupAgents(agents: readonly ThreadState[]): GroupedAgents {
  const having = (status: ThreadState['status']) => agents.filter((thread) => thread.status === status)
  const first = [...having('failed'), ...having('needs_you')]
  const others = agents.filter(({ status }) => status !== 'failed' && status !== 'needs_you')
  if (agents.length <= unfolded) return { shown: [...first, ...others], done: [] }
  const ended = others.filter((thread) => !isRunning(thread) && thread.status !== 'done')
  return { shown: [...first, ...others.filter(isRunning), ...ended], done: having('done') }
}
