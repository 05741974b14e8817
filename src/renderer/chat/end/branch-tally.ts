import type { BranchSurvey } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'

/** What became of the branches of a family, and what is left to do with them. */
export interface BranchTally {
  readonly total: number
  /** Branches that merge without a decision. */
  readonly clean: readonly BranchId[]
  readonly conflicts: number
  /** Branches that merge now, but conflict with one another once one of them is merged. */
  readonly overlaps: number
  readonly merged: number
  /** Branches of agents that were stopped with nothing to merge. */
  readonly stopped: number
  /** Branches of agents that are done and changed nothing. */
  readonly unchanged: number
  /** Subagents that failed, whose work is not merged. */
  readonly failed: readonly ThreadState[]
}

export const noBranches: BranchTally = {
  total: 0,
  clean: [],
  conflicts: 0,
  overlaps: 0,
  merged: 0,
  stopped: 0,
  unchanged: 0,
  failed: [],
}

/** Counts the branches. Those of agents at work are not counted as anything yet. */
export function tallyOf(
  branches: readonly Branch[],
  threads: { get(id: Branch['threadId']): ThreadState | undefined },
  surveys: ReadonlyMap<BranchId, BranchSurvey>,
): BranchTally {
  const tally = {
    total: 0,
    clean: [] as BranchId[],
    conflicts: 0,
    overlaps: 0,
    merged: 0,
    stopped: 0,
    unchanged: 0,
    failed: [] as ThreadState[],
  }
  for (const branch of branches) {
    if (branch.parentId === null || branch.status === 'discarded') continue
    const thread = threads.get(branch.threadId)
    // What an agent proposes for a conflict is taken or left there. It is not a result of the run.
    if (thread?.parent?.resolves) continue
    tally.total += 1
    const survey = surveys.get(branch.id)
    if (thread?.status === 'failed') tally.failed.push(thread)
    else if (thread?.status === 'done' || thread?.status === 'stopped') {
      // A part of a branch can be merged.
      if (survey && survey.conflicts.length > 0) tally.conflicts += 1
      else if (survey && survey.rivals.length > 0) tally.overlaps += 1
      else if (survey && survey.ready > 0) tally.clean.push(branch.id)
      else if (branch.merges.some(({ undone }) => !undone)) tally.merged += 1
      else if (thread.status === 'stopped') tally.stopped += 1
      else if (survey) tally.unchanged += 1
    }
  }
  return tally
}

/** Whether a person still has to do something with the branches. */
export function isOpen({ clean, conflicts, overlaps, failed }: BranchTally): boolean {
  return clean.length + conflicts + overlaps + failed.length > 0
}
