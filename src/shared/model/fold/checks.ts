import type { CheckRecord, QueuedMerge } from '../check.ts'
import type { Entry, EntryOf } from '../entry.ts'
import type { ProjectState } from '../project-state.ts'

/**
 * Keeps the newest result for each key, and for each check of a branch, and the queue of merges *when green*. A rewind
 * leaves them: results are about trees, and a person queued the branches.
 */
export function foldChecks(state: ProjectState, entry: Entry): ProjectState {
  const { checks } = state
  switch (entry.type) {
    case 'check.finished':
      return { ...state, checks: { ...checks, ...withResult(checks, entry) } }
    case 'merge.queued':
      return { ...state, checks: { ...checks, queue: withQueued(checks.queue, entry) } }
    case 'merge.ended':
      return { ...state, checks: { ...checks, queue: checks.queue.map((merge) => withEnd(merge, entry)) } }
    default:
      return state
  }
}

type Results = Pick<ProjectState['checks'], 'byKey' | 'byBranch'>

function withResult({ byKey, byBranch }: Results, { branchId, on, at, sequence, result }: Finished): Results {
  const { check, key, tree, outcome, exitCode, durationMs, note } = result
  const record: CheckRecord = { sequence, branchId, on, at, check, key, tree, outcome, exitCode, durationMs, note }
  const ofBranch = (byBranch.get(branchId) ?? []).filter((one) => one.check !== check)
  return {
    byKey: byKey.with(key, record),
    byBranch: on === 'merge' || on === 'past' ? byBranch : byBranch.with(branchId, [...ofBranch, record]),
  }
}

type Finished = EntryOf<'check.finished'>

/**
 * Puts branches at the end of a queue. One that waits keeps its place; one that had its turn gets another. A queue in
 * which nothing waits is over, and the next one begins without it.
 */
function withQueued(queue: readonly QueuedMerge[], { branchIds }: EntryOf<'merge.queued'>): readonly QueuedMerge[] {
  const waiting = new Set(queue.flatMap(({ branchId, end }) => (end === null ? [branchId] : [])))
  const added = new Set(branchIds.filter((id) => !waiting.has(id)))
  const kept = waiting.size === 0 ? [] : queue.filter(({ branchId }) => !added.has(branchId))
  return [...kept, ...[...added].map((branchId) => ({ branchId, end: null }))]
}

/** An end counts once: what had its turn stays as it ended. */
function withEnd(merge: QueuedMerge, { branchId, end, sequence }: EntryOf<'merge.ended'>): QueuedMerge {
  if (merge.branchId !== branchId || merge.end !== null) return merge
  return { branchId, end: end.kind === 'merged' ? { ...end, sequence: sequence - 1 } : end }
}
