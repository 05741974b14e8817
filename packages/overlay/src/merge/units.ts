import { sameNode } from '../model/patch.ts'
import { ancestorsOf, type VirtualPath } from '../model/virtual-path.ts'
import { leafChanges } from '../tree/changes.ts'
import { isLeaf } from '../tree/nodes.ts'
import { diffTrees, entriesWithin, entryAt, type Tree } from '../tree/tree.ts'
import { isChosen, loadSides, type MergeSources, type MergeUnit, sidesOf, type ThreeWay } from './three-way.ts'

/** Everything that the branch changed since its fork point or last merge, sorted by path. */
export async function mergeUnits(
  sources: MergeSources,
  paths: readonly VirtualPath[] | null,
): Promise<readonly MergeUnit[]> {
  const { fork, ours, theirs } = sources
  const changes = await leafChanges(sources.base, fork, theirs)
  const renames = new Map(
    changes.flatMap(({ path, renamedFrom }) => (renamedFrom ? [[path, renamedFrom] as const] : [])),
  )
  const sourcesOfRenames = new Set(renames.values())
  const all = new Set([...changes.map(({ path }) => path), ...(sources.earlier?.paths ?? [])])
  /** Computed only when the parent lacks a file, because the cost grows with the parent's changes. */
  let moves: ReturnType<typeof movesOf> | undefined
  const moveOf = (path: VirtualPath) => {
    moves ??= movesOf(fork, ours)
    return moves.get(entryAt(fork, path)?.renamedFrom ?? path)
  }
  const units: MergeUnit[] = []
  for (const path of [...all].filter((path) => !sourcesOfRenames.has(path)).sort()) {
    const from = renames.get(path)
    if (paths !== null && !isChosen(paths, [path, ...[from, moveOf(path)].filter((other) => other !== undefined)]))
      continue
    const sides = await loadSides(sources, path)
    const moved = sides.ours === null && sides.base !== null ? moveOf(path) : undefined
    if (from) units.push(...renameUnit(await loadSides(sources, from), sides, () => moveOf(from) === path))
    else if (moved && !all.has(moved) && isFree(theirs, moved))
      units.push(movedUnit(sides, await loadSides(sources, moved)))
    else units.push({ kind: 'path', sides })
  }
  return units
}

/** A rename as one unit. If its old half was already merged, only a change of the new path is left. */
function renameUnit(from: ThreeWay, to: ThreeWay, movedToo: () => boolean): readonly MergeUnit[] {
  if (from.base !== null && !isLeaf(to.base))
    return [{ kind: 'rename', from, to, both: from.ours === null && movedToo() }]
  return [
    { kind: 'path', sides: from },
    { kind: 'path', sides: to },
  ]
}

/**
 * An edit of the branch and a rename by the parent as one unit. If the branch changed nothing or deleted the file, its
 * path is a unit of its own.
 */
function movedUnit(from: ThreeWay, { path, ours }: ThreeWay): MergeUnit {
  const { base, theirs } = from
  if (from.ours !== null || base === null || theirs === null || sameNode(base, theirs))
    return { kind: 'path', sides: from }
  return { kind: 'moved', from, to: { path, base, ours, theirs } }
}

/** True when a tree has no file or link of its own at a path, above it or below it. */
function isFree(tree: Tree, path: VirtualPath): boolean {
  if (ancestorsOf(path).some((folder) => isLeaf(entryAt(tree, folder)?.node ?? null))) return false
  for (const [, { node }] of entriesWithin(tree, path)) if (isLeaf(node)) return false
  return true
}

/** New paths of the files that the parent renamed since the fork, by their first path. */
function movesOf(fork: Tree, ours: Tree): ReadonlyMap<VirtualPath, VirtualPath> {
  const moves = new Map<VirtualPath, VirtualPath>()
  for (const [path, [before, after]] of diffTrees(fork, ours)) {
    if (after?.node && after.renamedFrom && !before?.node) moves.set(after.renamedFrom, path)
  }
  return moves
}

/** The unit that a path belongs to, even if the branch did not change it. */
export async function unitAt(sources: MergeSources, path: VirtualPath): Promise<MergeUnit> {
  const units = await mergeUnits(sources, [path])
  const unit = units.find((one) => sidesOf(one).some((sides) => sides.path === path))
  return unit ?? { kind: 'path', sides: await loadSides(sources, path) }
}
