import type { MergeStrategy } from '../model/reports.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { diffTrees } from '../tree/tree.ts'
import { createTreeEditor } from '../tree/tree-editor.ts'
import { decide, outcomeOf } from './decide.ts'
import { type AcceptedUnit, carryOut, createMergeLog, type MergeLog, type MergePlan } from './execute.ts'
import { mergeFolders } from './merge-folders.ts'
import type { MergeSources, MergeUnit } from './three-way.ts'
import { mergeUnits } from './units.ts'

/**
 * Plans the merge of a branch into its parent, path by path. Each path is a three-way comparison by content against the
 * branch's version at its last merge, or the fork point. Nothing is lost without being named in the result.
 */
export async function planMerge(options: MergeSources & MergeChoice): Promise<MergePlan> {
  return planUnits(options, await mergeUnits(options, options.paths))
}

export interface MergeChoice {
  /** Files or whole folders; null for every change of the branch. Unchanged paths are ignored. */
  readonly paths: readonly VirtualPath[] | null
  /** Takes the branch's version of a file that both sides changed. */
  readonly force: boolean
  /** `three_way` joins texts whose changes do not overlap; `refuse` reports them as conflicts. */
  readonly strategy: MergeStrategy
}

/** Plans the merge of these units. Each is judged alone, and all that pass are carried out together. */
export async function planUnits(options: MergeSources & MergeChoice, units: readonly MergeUnit[]): Promise<MergePlan> {
  const log = createMergeLog(options.theirs)
  const accepted = await judge(options, units, log)
  const editor = createTreeEditor({ ...options, tree: options.ours })
  await carryOut(editor, options, accepted, options.force, log)
  const folders = await mergeFolders(editor, options)
  return { result: log.result, patch: diffTrees(options.ours, editor.tree), bases: [...log.bases, ...folders] }
}

async function judge(
  options: MergeSources & MergeChoice,
  units: readonly MergeUnit[],
  log: MergeLog,
): Promise<readonly AcceptedUnit[]> {
  const accepted: AcceptedUnit[] = []
  for (const unit of units) {
    const verdict = await decide(unit, options)
    const outcome = outcomeOf(verdict, options.strategy, options.force)
    if ('conflict' in verdict && outcome !== 'join') log.conflict(verdict.conflict)
    if (verdict.kind === 'same' || verdict.kind === 'nothing') log.advance(unit)
    if (outcome === 'refuse') log.skip(unit)
    if (outcome === 'take') accepted.push({ unit: wholeOf(unit), merged: null })
    if (outcome === 'join' && verdict.kind === 'mergeable') accepted.push({ unit, merged: verdict.merged })
  }
  return accepted
}

/** For a forced merge: the branch's file stays at the branch's path, beside the one that the parent moved. */
function wholeOf(unit: MergeUnit): MergeUnit {
  return unit.kind === 'moved' ? { kind: 'path', sides: unit.from } : unit
}
