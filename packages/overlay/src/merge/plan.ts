import type { MergeBase, MergeStrategy } from '../model/reports.ts'
import type { TreeNode } from '../model/tree-node.ts'
import { ancestorsOf, type VirtualPath } from '../model/virtual-path.ts'
import { versionIn } from '../tree/changes.ts'
import { isLeaf } from '../tree/nodes.ts'
import { diffTrees, entriesWithin, type Tree } from '../tree/tree.ts'
import { createTreeEditor, type TreeEditor } from '../tree/tree-editor.ts'
import { walk } from '../tree/walk.ts'
import { decide, outcomeOf } from './decide.ts'
import { type AcceptedUnit, carryOut, createMergeLog, type MergeLog, type MergePlan } from './execute.ts'
import { isChosen, type MergeSources, type MergeUnit } from './three-way.ts'
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

/**
 * Merges folders after their files. A folder that the branch deleted is deleted in the parent when it is empty there;
 * an empty folder that the branch made is made. Each is merged once, so later changes by the parent stay.
 */
async function mergeFolders(
  editor: TreeEditor,
  options: MergeSources & { readonly paths: readonly VirtualPath[] | null },
): Promise<readonly MergeBase[]> {
  const { fork, theirs, earlier } = options
  const bases: MergeBase[] = []
  for (const [path, [before, after]] of diffTrees(fork, theirs)) {
    if (!isChosen(options.paths, [path])) continue
    const pin = (before ?? after)?.pin ?? null
    const merged = earlier?.baseOf(path)
    const was = isFolder(merged ? merged.node : versionIn(fork, path, pin))
    const node = versionIn(theirs, path, pin)
    const settled =
      was === isFolder(node) ||
      (was ? !(await removeWhenEmpty(editor, path, after?.opaque === true)) : holdsLeaves(theirs, path))
    if (settled) continue
    if (!was) await makeWhenFree(editor, path)
    if (!isLeaf(node)) bases.push([path, { node, pin }])
  }
  return bases
}

function isFolder(node: TreeNode | null): boolean {
  return node?.kind === 'directory'
}

/**
 * Removes a folder without files; false when a file is left in it. With `withInner`, the folders inside that hold no
 * file are then removed too, because an opaque folder does not list them.
 */
async function removeWhenEmpty(editor: TreeEditor, path: VirtualPath, withInner: boolean): Promise<boolean> {
  const found = await editor.locate(path, false)
  if (found.node?.kind !== 'directory' || found.path !== path) return true
  const { entries, unreadable } = await walk(editor.files, path)
  const leaves = entries.filter(({ node }) => node.kind !== 'directory')
  const kept = new Set(leaves.flatMap(({ path: below }) => ancestorsOf(below)))
  if (unreadable === 0 && leaves.length === 0) {
    await editor.remove(path)
    return true
  }
  const inner = withInner
    ? entries.filter(({ path: below, node }) => node.kind === 'directory' && !kept.has(below))
    : []
  for (const { path: below } of inner.reverse()) await editor.remove(below)
  return false
}

async function makeWhenFree(editor: TreeEditor, path: VirtualPath): Promise<void> {
  const found = await editor.locate(path, false)
  if (!found.node && !found.blockedBy && found.path === path) await editor.makeFolders(path)
}

function holdsLeaves(tree: Tree, folder: VirtualPath): boolean {
  for (const [, { node }] of entriesWithin(tree, folder)) if (node && node.kind !== 'directory') return true
  return false
}
