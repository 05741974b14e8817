import { type Result, success } from '#shared/base/result.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import { changeOf } from './changed-file.ts'
import { chooseHunks, type HunkChoice, type HunkRefusal } from './file-hunks.ts'
import type { MergePlan } from './merge-log.ts'
import { unitAt } from './merge-units.ts'
import { planUnits } from './plan-units.ts'
import type { MergeSources, MergeUnit } from './sides.ts'

/**
 * Chosen hunks of one file, joined with what the parent has there now. The base of the next merge is the old one with
 * these hunks applied, so that the others are still to be merged.
 */
export async function planMergeHunks(options: MergeSources & HunkChoice): Promise<Result<MergePlan, HunkRefusal>> {
  const unit = await unitAt(options, options.path)
  const taken = await chooseHunks(changeOf(unit), options, 'take', options)
  if (!taken.ok) return taken
  const choice = { paths: [options.path], force: false, strategy: 'three_way' } as const
  return success(await planUnits({ ...options, ...choice }, [withTheirs(unit, taken.value)]))
}

function withTheirs(unit: MergeUnit, theirs: TreeNode | null): MergeUnit {
  switch (unit.kind) {
    case 'path':
      return { ...unit, sides: { ...unit.sides, theirs } }
    case 'rename':
      return { ...unit, to: { ...unit.to, theirs } }
    case 'moved':
      return { ...unit, from: { ...unit.from, theirs }, to: { ...unit.to, theirs } }
  }
}
