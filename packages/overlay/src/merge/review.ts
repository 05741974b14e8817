import type { FileChange, MergeStatus } from '../model/reports.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { listChanges } from '../tree/changes.ts'
import { decide, type MergeDecision } from './decide.ts'
import { goalOf, type MergeSources, sidesOf } from './three-way.ts'
import { mergeUnits } from './units.ts'

export interface ReviewedFile extends FileChange {
  /** The result of merging the file now. A rename has one status for both paths. */
  readonly status: MergeStatus
}

export interface Review {
  /** Every file that differs from the fork point, merged or not. */
  readonly files: ReviewedFile[]
  /** True when the branch has nothing that its parent lacks. */
  readonly closed: boolean
}

/** Each change of a branch, with the result of merging it now. */
export async function reviewBranch(options: MergeSources): Promise<Review> {
  const { fork, theirs } = options
  const statuses = new Map<VirtualPath, MergeStatus>()
  for (const unit of await mergeUnits(options, null)) {
    const status = statusOf(await decide(unit, options))
    for (const { path } of sidesOf(unit)) statuses.set(path, status)
    statuses.set(goalOf(unit).path, status)
  }
  const changes = await listChanges({ ...options, from: fork, to: theirs })
  const files = changes.map((change) => ({ ...change, status: statuses.get(change.path) ?? 'identical' }) as const)
  return { files, closed: [...statuses.values()].every((status) => status === 'identical') }
}

function statusOf(verdict: MergeDecision): MergeStatus {
  switch (verdict.kind) {
    case 'same':
    case 'nothing':
      return 'identical'
    case 'clean':
      return 'clean'
    case 'mergeable':
      return 'mergeable'
    case 'conflict':
      return 'conflict'
  }
}
