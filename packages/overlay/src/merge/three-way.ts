import { sameNode } from '../model/patch.ts'
import type { OverlayEntry, TreeNode } from '../model/tree-node.ts'
import { isWithin, type VirtualPath } from '../model/virtual-path.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { versionIn } from '../tree/changes.ts'
import { baseNode, type TreeSources } from '../tree/nodes.ts'
import { entryAt, hidesBase, type Tree } from '../tree/tree.ts'

/** What earlier merges of a branch into its parent settled. */
export interface EarlierMerges {
  /** The branch's version of a path at its last merge: the base of the next one. Undefined when it was never merged. */
  baseOf(path: VirtualPath): OverlayEntry | null | undefined
  /** Every path that was ever merged. */
  readonly paths: Iterable<VirtualPath>
}

/** What a merge of a branch into its parent needs. */
export interface MergeSources extends TreeSources, MergeTrees {
  /** Absent for a branch that was never merged. */
  readonly earlier?: EarlierMerges
  /** Joins texts that both sides changed. */
  readonly textMerge: TextMerge
}

/** The three trees of a merge. */
export interface MergeTrees {
  /** The parent's tree when the branch was forked. */
  readonly fork: Tree
  /** The parent's tree now. */
  readonly ours: Tree
  /** The branch's tree now. */
  readonly theirs: Tree
}

/** One path in three versions: the last common one, the parent's and the branch's. */
export interface ThreeWay {
  /** One path; the sides of a rename are compared separately. */
  readonly path: VirtualPath
  /** Null when the last common version has nothing there. */
  readonly base: TreeNode | null
  /** Null when the parent has nothing there. */
  readonly ours: TreeNode | null
  /** Null when the branch has nothing there. */
  readonly theirs: TreeNode | null
}

/**
 * What is merged or refused as a whole: one path, or the two paths of a rename. `both`: the parent made the same
 * rename. `moved`: the parent renamed what the branch changed, so `to` compares the branch's version with the parent's
 * new path.
 */
export type MergeUnit =
  | { readonly kind: 'path'; readonly sides: ThreeWay }
  | { readonly kind: 'rename'; readonly from: ThreeWay; readonly to: ThreeWay; readonly both: boolean }
  | { readonly kind: 'moved'; readonly from: ThreeWay; readonly to: ThreeWay }

/** The paths of a unit, as in the branch. */
export function sidesOf(unit: MergeUnit): readonly ThreeWay[] {
  switch (unit.kind) {
    case 'path':
      return [unit.sides]
    case 'rename':
      return [unit.from, unit.to]
    case 'moved':
      return [unit.from]
  }
}

/** The path of a unit after the merge. */
export function goalOf(unit: MergeUnit): ThreeWay {
  return unit.kind === 'path' ? unit.sides : unit.to
}

export function isChosen(paths: readonly VirtualPath[] | null, unit: readonly VirtualPath[]): boolean {
  return paths === null || paths.some((chosen) => unit.some((path) => isWithin(path, chosen)))
}

/** The versions of one path. The base folder is read only if one of the trees shows it. */
export async function loadSides(sources: MergeSources, path: VirtualPath): Promise<ThreeWay> {
  const { fork, ours, theirs } = sources
  const pin = entryAt(theirs, path)?.pin
  const shows = (tree: Tree) => !entryAt(tree, path) && !hidesBase(tree, path)
  const shown =
    shows(ours) || (shows(fork) && pin === undefined) || shows(theirs) ? await baseNode(sources, path) : null
  const merged = sources.earlier?.baseOf(path)
  return {
    path,
    base:
      merged === undefined ? versionIn(fork, path, pin === undefined ? shown : pin) : leafOnly(merged?.node ?? null),
    ours: versionIn(ours, path, shown),
    theirs: leafOnly(versionIn(theirs, path, shown)),
  }
}

/** A folder counts as "no file here", because its content is compared separately. */
function leafOnly(node: TreeNode | null): TreeNode | null {
  return sameNode(node, { kind: 'directory' }) ? null : node
}
