import { batchRows, isOpen } from '#shared/model/derived/batch.ts'
import { childrenOf, type ProjectState } from '#shared/model/project-state.ts'
import { isRunning } from './selectors.ts'

export interface AgentProgress {
  /** Subagents that have ended, well or not. */
  readonly done: number
  readonly total: number
}

/**
 * How far the batches and subagents of the calls that run now are, in all threads of the project. Null while fewer than
 * two agents are asked for, because one has no progress to tell.
 */
export function agentProgress(project: ProjectState): AgentProgress | null {
  let [done, total] = [0, 0]
  for (const thread of project.threads.values()) {
    if (!isRunning(thread)) continue
    const children = childrenOf(project, thread.id)
    if (children.length === 0) continue
    for (const call of thread.calls.values()) {
      if (call.state.kind === 'finished') continue
      const own = call.batch
        ? batchRows(project, thread.id, call.callId).map((row) => !isOpen(row))
        : children.filter(({ parent }) => parent?.callId === call.callId).map(({ end }) => end !== null)
      done += own.filter(Boolean).length
      total += own.length
    }
  }
  return total < 2 ? null : { done, total }
}
