import type { MergePlan } from './merge-log.ts'
import { mergeUnits } from './merge-units.ts'
import { type MergeChoice, planUnits } from './plan-units.ts'
import type { MergeSources } from './sides.ts'

export { planDiscardHunks, planRevertHunks } from './drop-hunks.ts'
export { invertibleOn, planDiscard, planRevert } from './go-back.ts'
export { planMergeHunks } from './merge-hunks.ts'
export type { MergePlan } from './merge-log.ts'
export type { MergeChoice } from './plan-units.ts'
export { conflictSides, planResolve } from './resolve-conflict.ts'
export { reviewBranch } from './review.ts'

/**
 * What merging a branch into its parent does, path by path: a three-way comparison by content against the branch's
 * version at its last merge, else the fork point. Nothing is lost without being named in the result.
 */
export async function planMerge(options: MergeSources & MergeChoice): Promise<MergePlan> {
  return planUnits(options, await mergeUnits(options, options.paths))
}
