import type { MergeStrategy } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { diffTrees } from '../overlay/tree.ts'
import { createTreeEditor } from '../overlay/tree-editor.ts'
import { type Accepted, carryOut } from './carry-out.ts'
import { decide, outcomeOf } from './decide.ts'
import { mergeFolders } from './merge-folders.ts'
import { createMergeLog, type MergeLog, type MergePlan } from './merge-log.ts'
import { type MergeSources, type MergeUnit, treesOf } from './sides.ts'

export interface MergeChoice {
  /** Files or whole folders; null for all the branch changed. What it did not change is nothing to do. */
  readonly paths: readonly VirtualPath[] | null
  readonly force: boolean
  readonly strategy: MergeStrategy
}

/** What merging these units comes to: each is judged by itself, and those that pass are carried out together. */
export async function planUnits(options: MergeSources & MergeChoice, units: readonly MergeUnit[]): Promise<MergePlan> {
  const trees = treesOf(options)
  const log = createMergeLog(trees.theirs)
  const accepted = await judge(options, units, log)
  const editor = createTreeEditor({ ...options, tree: trees.ours })
  await carryOut(editor, trees, accepted, options.force, log)
  const folders = await mergeFolders(editor, options)
  return { result: log.result, patch: diffTrees(trees.ours, editor.tree), bases: [...log.bases, ...folders] }
}

async function judge(
  options: MergeSources & MergeChoice,
  units: readonly MergeUnit[],
  log: MergeLog,
): Promise<readonly Accepted[]> {
  const accepted: Accepted[] = []
  for (const unit of units) {
    const verdict = await decide(unit, options)
    const outcome = outcomeOf(verdict, options.strategy, options.force)
    if ('conflict' in verdict && outcome !== 'join') log.conflict(verdict.conflict)
    if (verdict.kind === 'same' || verdict.kind === 'nothing') log.advance(unit)
    if (outcome === 'refuse') log.skip(unit)
    if (outcome === 'take') accepted.push({ unit: wholeOf(unit), joined: null })
    if (outcome === 'join' && verdict.kind === 'joinable') accepted.push({ unit, joined: verdict.joined })
  }
  return accepted
}

/** By force the branch's file stands where the branch has it, beside the one that the parent moved. */
function wholeOf(unit: MergeUnit): MergeUnit {
  return unit.kind === 'moved' ? { kind: 'path', sides: unit.from } : unit
}
