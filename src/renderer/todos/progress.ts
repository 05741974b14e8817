import type { CallState, ThreadState } from '#shared/model/thread.ts'
import { tokensOf } from '#shared/model/usage.ts'
import { isRunning } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { describeCall, describeStep } from '../strings/tool-labels.ts'

interface AgentLine {
  /** Its last call, such as "Edited a.ts"; empty before its first one. */
  readonly lastCall: string
  /** Milliseconds from its start until now, or until its end. */
  readonly elapsed: number
  readonly tokens: number
}

export function describeAgent(thread: ThreadState, now: number): AgentLine {
  const started = thread.runStartedAt ?? thread.createdAt
  const last = [...thread.calls.values()].at(-1)
  const end = isRunning(thread) ? now : thread.updatedAt
  return {
    lastCall: last ? describeLast(last) : '',
    elapsed: Math.max(end - started, 0),
    tokens: tokensOf(thread.usage),
  }
}

/** A call that waits or was rejected has done nothing, so it is told in the words of its approval. */
function describeLast(call: CallState): string {
  const { phase, decision, result, name, input } = call
  const what = describeCall(name, input).object
  if (phase === 'waiting') return strings.agents.wants(name, what)
  if (result?.outcome === 'rejected' || (!result && decision?.type === 'reject'))
    return strings.agents.rejected(what || name)
  return describeStep([call])
}

/** At most `most` agents, in their order. Running agents go first, then the earliest of the others. */
export function limitAgents(agents: readonly ThreadState[], most: number): readonly ThreadState[] {
  if (agents.length <= most) return agents
  const ended = agents.filter((thread) => !isRunning(thread))
  const running = agents.length - ended.length
  const left = new Set(ended.slice(Math.max(most - running, 0)))
  return agents.filter((thread) => !left.has(thread)).slice(0, most)
}
