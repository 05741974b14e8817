import type { Branch } from '#shared/model/branch.ts'
import { sameNode } from '#shared/model/patch.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { leafChanges, versionIn } from '../overlay/leaf-changes.ts'
import { baseNode, type TreeSources } from '../overlay/nodes.ts'
import { emptyTree, entryAt, hidesBase, type Tree } from '../overlay/tree.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { type BranchTrees, mergeBaseOf, mergedPaths } from './branch-trees.ts'

export interface MergeSources extends TreeSources {
  readonly trees: BranchTrees
  readonly branch: Branch
  readonly textMerge: TextMerge
}

/** The three trees of a merge. */
export interface MergeTrees {
  readonly fork: Tree
  readonly ours: Tree
  readonly theirs: Tree
}

/** One path as the last common version, the parent and the branch have it. */
export interface Sides {
  readonly path: VirtualPath
  readonly base: TreeNode | null
  readonly ours: TreeNode | null
  readonly theirs: TreeNode | null
}

/** What is merged or refused as a whole: one path, or the two paths of a rename. */
export type MergeUnit =
  | { readonly kind: 'path'; readonly sides: Sides }
  | { readonly kind: 'rename'; readonly from: Sides; readonly to: Sides }

export function treesOf({ trees, branch }: MergeSources): MergeTrees {
  return {
    fork: trees.forkPoints.get(branch.id) ?? emptyTree,
    ours: (branch.parentId === null ? undefined : trees.heads.get(branch.parentId)) ?? emptyTree,
    theirs: trees.heads.get(branch.id) ?? emptyTree,
  }
}

export function sidesOf(unit: MergeUnit): readonly Sides[] {
  return unit.kind === 'path' ? [unit.sides] : [unit.from, unit.to]
}

/** The path under which a unit stands after the merge. */
export function goalOf(unit: MergeUnit): Sides {
  return unit.kind === 'path' ? unit.sides : unit.to
}

/** All that the branch changed since its fork point or last merge, in order of paths. */
export async function mergeUnits(
  sources: MergeSources,
  paths: readonly VirtualPath[] | null,
): Promise<readonly MergeUnit[]> {
  const { fork, theirs } = treesOf(sources)
  const changes = await leafChanges(sources.base, fork, theirs)
  const renames = new Map(
    changes.flatMap(({ path, renamedFrom }) => (renamedFrom ? [[path, renamedFrom] as const] : [])),
  )
  const sourcesOfRenames = new Set(renames.values())
  const all = new Set([...changes.map(({ path }) => path), ...mergedPaths(sources.trees, sources.branch.id)])
  const units: MergeUnit[] = []
  for (const path of [...all].filter((path) => !sourcesOfRenames.has(path)).sort()) {
    const from = renames.get(path)
    if (!isChosen(paths, from ? [from, path] : [path])) continue
    const sides = await loadSides(sources, path)
    if (from) units.push(...renameUnit(await loadSides(sources, from), sides))
    else units.push({ kind: 'path', sides })
  }
  return units
}

/** A rename whose old half was merged already is, from then on, a change of the new path alone. */
function renameUnit(from: Sides, to: Sides): readonly MergeUnit[] {
  if (from.base !== null && to.base === null) return [{ kind: 'rename', from, to }]
  return [
    { kind: 'path', sides: from },
    { kind: 'path', sides: to },
  ]
}

/** The unit a path belongs to, also where the branch changed nothing. */
export async function unitAt(sources: MergeSources, path: VirtualPath): Promise<MergeUnit> {
  const units = await mergeUnits(sources, [path])
  const unit = units.find((one) => sidesOf(one).some((sides) => sides.path === path))
  return unit ?? { kind: 'path', sides: await loadSides(sources, path) }
}

export function isChosen(paths: readonly VirtualPath[] | null, unit: readonly VirtualPath[]): boolean {
  return paths === null || paths.some((chosen) => unit.some((path) => isWithin(path, chosen)))
}

/** The versions of one path. The base folder is read only where one of the trees lets it show through. */
export async function loadSides(sources: MergeSources, path: VirtualPath): Promise<Sides> {
  const { fork, ours, theirs } = treesOf(sources)
  const pin = entryAt(theirs, path)?.pin
  const shows = (tree: Tree) => !entryAt(tree, path) && !hidesBase(tree, path)
  const shown =
    shows(ours) || (shows(fork) && pin === undefined) || shows(theirs) ? await baseNode(sources, path) : null
  const merged = mergeBaseOf(sources.trees, sources.branch.id, path)
  return {
    path,
    base:
      merged === undefined ? versionIn(fork, path, pin === undefined ? shown : pin) : leafOnly(merged?.node ?? null),
    ours: versionIn(ours, path, shown),
    theirs: leafOnly(versionIn(theirs, path, shown)),
  }
}

/** A folder where the branch changed a file counts as "file gone": what is in the folder is compared by itself. */
function leafOnly(node: TreeNode | null): TreeNode | null {
  return sameNode(node, { kind: 'directory' }) ? null : node
}
