import type { EntryBody } from '../entry.ts'
import type { BranchId } from '../ids.ts'

type Merged = Pick<Extract<EntryBody, { type: 'branch.merged' }>, 'branchId' | 'composed'>

/** The branches that one merge merged: one, or all that were composed. */
export function mergedBranches({ branchId, composed }: Merged): readonly BranchId[] {
  return [branchId, ...(composed?.others ?? []).map((other) => other.branchId)]
}
