import type { CheckOccasion, CheckResult } from '#shared/model/check.ts'
import { type BranchId, projectThread } from '#shared/model/ids.ts'
import type { StoredEnd } from '../checks/green-queue.ts'
import { readBranch } from '../journal/read-thread.ts'
import { type CommandProject, type Decided, refuse, write } from './command.ts'

/** Stores what a check said, which may have run for long. The thread of the branch owns the entry. */
export function recordCheck(
  { log }: Pick<CommandProject, 'log'>,
  { branchId, on, result }: { readonly branchId: BranchId; readonly on: CheckOccasion; readonly result: CheckResult },
): Decided {
  const threadId = readBranch(log, branchId)?.threadId
  if (threadId === undefined) return refuse('not_found', 'This branch does not exist in this project.')
  return write([{ type: 'check.finished', threadId, branchId, on, result }])
}

/** Puts branches into the queue of merges *when green*. Those that wait already keep their place. */
export function queueMerges({ log }: Pick<CommandProject, 'log'>, branchIds: readonly BranchId[]): Decided {
  const waiting = new Set(log.state.checks.queue.flatMap(({ branchId, end }) => (end === null ? [branchId] : [])))
  const added = [...new Set(branchIds)].filter((id) => !waiting.has(id))
  return write(added.length === 0 ? [] : [{ type: 'merge.queued', threadId: projectThread, branchIds: added }])
}

/** Stores what became of branches of that queue that were not merged. */
export function endQueuedMerges(ends: readonly StoredEnd[]): Decided {
  return write(ends.map((end) => ({ type: 'merge.ended', threadId: projectThread, ...end })))
}
