import { type Patch, sameNode } from '../model/patch.ts'
import type { Conflict, MergeBase, MergeResult } from '../model/reports.ts'
import type { TreeNode } from '../model/tree-node.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { ancestorsOf, parentOf } from '../model/virtual-path.ts'
import { isLeaf } from '../tree/nodes.ts'
import { entryAt, type Tree } from '../tree/tree.ts'
import type { TreeEditor } from '../tree/tree-editor.ts'
import { walk } from '../tree/walk.ts'
import { conflictOf } from './decide.ts'
import { goalOf, type MergeTrees, type MergeUnit, sidesOf, type ThreeWay } from './three-way.ts'

/** A unit that will be carried out. `merged` is set when the file gets both sides' changes. */
export interface AcceptedUnit {
  /** What is merged or refused as a whole. */
  readonly unit: MergeUnit
  /** Null when the branch's version is taken whole. */
  readonly merged: TreeNode | null
}

/** Carries out deletions first. So a file can replace a folder that they empty, and a folder can replace a file. */
export async function carryOut(
  editor: TreeEditor,
  trees: MergeTrees,
  accepted: readonly AcceptedUnit[],
  force: boolean,
  log: MergeLog,
): Promise<void> {
  for (const one of accepted) {
    for (const sides of leaving(one)) await editor.place(sides.path, null, pinOf(trees, sides))
  }
  const blocked = force ? new Set() : await bringBackBlocked(editor, trees, accepted)
  for (const one of accepted) {
    if (blocked.has(one)) log.blocked(one.unit)
    else await put(editor, trees, one, log)
  }
}

/**
 * Restores units that have no room at their goal. Such a unit may then block others, so this repeats until none is
 * left.
 */
async function bringBackBlocked(
  editor: TreeEditor,
  trees: MergeTrees,
  accepted: readonly AcceptedUnit[],
): Promise<ReadonlySet<AcceptedUnit>> {
  const blocked = new Set<AcceptedUnit>()
  let left = accepted.filter(needsRoom)
  for (let size = -1; size < blocked.size; ) {
    size = blocked.size
    for (const one of left) {
      if (!(await isBlocked(editor, goalOf(one.unit).path))) continue
      blocked.add(one)
      for (const gone of leaving(one))
        await editor.place(gone.path, gone.ours, { ...pinOf(trees, gone), ...detailsAt(trees.ours, gone.path) })
    }
    left = left.filter((one) => !blocked.has(one))
  }
  return blocked
}

async function put(editor: TreeEditor, trees: MergeTrees, one: AcceptedUnit, log: MergeLog): Promise<void> {
  const { unit, merged } = one
  const sides = goalOf(unit)
  const removed = needsRoom(one) ? await clearWay(editor, sides.path) : []
  if (removed.length > 0) log.overwritten(unit, removed)
  const node = wantedNode(unit, merged)
  const details = detailsAt(unit.kind === 'moved' ? trees.ours : trees.theirs, sides.path)
  if (node) await editor.place(sides.path, node, { ...pinOf(trees, sides), ...details })
  log.done(unit, merged !== null)
}

/** False when a file or link of the parent only gets new content, because it already has its place. */
function needsRoom({ unit, merged }: AcceptedUnit): boolean {
  return wantedNode(unit, merged) !== null && !(unit.kind === 'path' && isLeaf(unit.sides.ours))
}

/** The files of the parent that a unit removes. */
function leaving({ unit, merged }: AcceptedUnit): readonly ThreeWay[] {
  const goal = goalOf(unit)
  return sidesOf(unit).filter((sides) => {
    const stays = sides === goal && wantedNode(unit, merged) !== null
    return !stays && sides.ours !== null && sides.ours.kind !== 'directory'
  })
}

function pinOf({ ours }: MergeTrees, { path, ours: node }: ThreeWay) {
  return node && !entryAt(ours, path) ? { pin: node } : {}
}

function detailsAt(tree: Tree, path: VirtualPath) {
  const entry = entryAt(tree, path)
  return { renamedFrom: entry?.renamedFrom, changedAt: entry?.changedAt }
}

export interface MergePlan {
  /** Names every path that was merged, skipped or in conflict. */
  readonly result: MergeResult
  /** Over the parent's tree. */
  readonly patch: Patch
  /** The versions that the next merge of these paths compares with. */
  readonly bases: MergeBase[]
}

/** Collects what a merge did, so that every path that either side touched is named. */
export interface MergeLog {
  /** Names a conflict in the result, even one that a forced merge overrides. */
  conflict(conflict: Conflict): void
  /** Call for a refused unit, which leaves the parent unchanged. */
  skip(unit: MergeUnit): void
  /** Call for a unit that is refused because something else is at its goal. */
  blocked(unit: MergeUnit): void
  /** Call for paths that a forced merge removed to make room. */
  overwritten(unit: MergeUnit, removed: readonly VirtualPath[]): void
  /** Call for a unit that was carried out. `merged`: the file has both sides' changes. */
  done(unit: MergeUnit, merged: boolean): void
  /** Call for a unit that the parent already has. The next merge starts from here. */
  advance(unit: MergeUnit): void
  /** Filled during the merge. */
  readonly result: MergeResult
  /** The branch's versions that count as merged from now on. */
  readonly bases: MergeBase[]
}

export function createMergeLog(theirs: Tree): MergeLog {
  const written: VirtualPath[] = []
  const deleted: VirtualPath[] = []
  const renamed: { from: VirtualPath; to: VirtualPath }[] = []
  const merged: VirtualPath[] = []
  const conflicts: Conflict[] = []
  const skipped: VirtualPath[] = []
  const bases: MergeBase[] = []

  const advance = (unit: MergeUnit) => {
    for (const { path, base, theirs: node } of sidesOf(unit)) {
      if (!sameNode(base, node)) bases.push([path, { node, pin: entryAt(theirs, path)?.pin ?? null }])
    }
  }
  const kindConflict = (unit: MergeUnit) => {
    const { path, ...sides } = goalOf(unit)
    if (!conflicts.some((known) => known.path === path)) conflicts.push(conflictOf(path, 'kind', sides, false))
  }

  return {
    result: { written, deleted, renamed, merged, conflicts, skipped },
    bases,
    conflict: (conflict) => void conflicts.push(conflict),
    skip: (unit) => void skipped.push(...sidesOf(unit).map(({ path }) => path)),
    blocked(unit) {
      kindConflict(unit)
      skipped.push(...sidesOf(unit).map(({ path }) => path))
    },
    overwritten(unit, removed) {
      kindConflict(unit)
      deleted.push(...removed)
    },
    done(unit, isMerged) {
      const { path, theirs: node } = goalOf(unit)
      if (unit.kind !== 'path') renamed.push({ from: unit.from.path, to: path })
      else if (!isMerged) (node ? written : deleted).push(path)
      if (isMerged) merged.push(path)
      advance(unit)
    },
    advance,
  }
}

/** The node that the parent gets at the goal; null when the path is deleted. */
function wantedNode(unit: MergeUnit, merged: TreeNode | null): TreeNode | null {
  return merged ?? goalOf(unit).theirs
}

/** True when a file or link of the parent is above or below a path. */
export async function isBlocked(editor: TreeEditor, path: VirtualPath): Promise<boolean> {
  if ((await leafAbove(editor, path)) !== null) return true
  const { node } = await editor.locate(path, false)
  return node?.kind === 'directory' && (await leavesIn(editor, path)).length > 0
}

/**
 * Makes the folders above a path, and room at the path itself.
 *
 * @returns the files and links that were removed
 */
async function clearWay(editor: TreeEditor, path: VirtualPath): Promise<readonly VirtualPath[]> {
  const above = await leafAbove(editor, path)
  if (above) await editor.remove(above)
  const { node } = await editor.locate(path, false)
  const below = node?.kind === 'directory' ? await leavesIn(editor, path) : []
  if (node?.kind === 'directory') await editor.remove(path)
  await editor.makeFolders(parentOf(path))
  return above ? [above, ...below] : below
}

/** Finds a file or link above a path. There is at most one, because nothing can be below a file. */
async function leafAbove(editor: TreeEditor, path: VirtualPath): Promise<VirtualPath | null> {
  for (const folder of [...ancestorsOf(path)].reverse()) {
    const { node } = await editor.locate(folder, false)
    if (!node) return null
    if (node.kind !== 'directory') return folder
  }
  return null
}

async function leavesIn(editor: TreeEditor, folder: VirtualPath): Promise<readonly VirtualPath[]> {
  const { entries } = await walk(editor.files, folder)
  return entries.filter((below) => below.node.kind !== 'directory').map((below) => below.path)
}
