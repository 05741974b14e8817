import type { Patch } from '../model/patch.ts'
import type { OverlayEntry } from '../model/tree-node.ts'
import { ancestorsOf, isWithin, type VirtualPath } from '../model/virtual-path.ts'
import { diffTrees, emptyTree, entriesWithin, entryAt, type Tree, withEntry } from '../tree/tree.ts'

/**
 * The patch that resets paths of a tree to the base. A folder includes everything below it, and half of a rename
 * includes the other.
 */
export function planRevert(tree: Tree, paths: readonly VirtualPath[]): Patch {
  return goBack(tree, emptyTree, paths)
}

/** The patch that takes paths of a tree back to what they are in `goal`, with the other halves of their renames. */
export function goBack(tree: Tree, goal: Tree, paths: readonly VirtualPath[]): Patch {
  const differing = new Map(diffTrees(tree, goal))
  const chosen = new Set([...differing.keys()].filter((path) => paths.some((one) => isWithin(path, one))))
  const partners = partnersIn(tree, differing)
  for (const path of chosen) for (const partner of partners(path)) if (!chosen.has(partner)) addFolder(partner)
  for (const path of [...chosen]) {
    for (const folder of ancestorsOf(path))
      if (!chosen.has(folder) && isInTheWay(differing.get(folder))) addFolder(folder)
  }
  for (const path of paths) {
    for (const folder of ancestorsOf(path))
      if (entryAt(tree, folder)?.opaque && differing.has(folder)) addFolder(folder)
  }
  const restored = [...chosen].reduce((result, path) => withEntry(result, path, entryAt(goal, path)), tree)
  return diffTrees(tree, withoutEmptyFolders(restored, goal, chosen))

  /** An opaque folder hides paths that have no entry, so it is restored only as a whole. */
  function addFolder(folder: VirtualPath): void {
    if (differing.has(folder)) chosen.add(folder)
    if (!entryAt(tree, folder)?.opaque) return
    for (const path of differing.keys()) if (isWithin(path, folder)) chosen.add(path)
  }
}

type Step = readonly [now: OverlayEntry | null, goal: OverlayEntry | null]

/** Finds the other half of a rename: the path with the same origin, or the opaque folder that hides it. */
function partnersIn(
  tree: Tree,
  differing: ReadonlyMap<VirtualPath, Step>,
): (path: VirtualPath) => readonly VirtualPath[] {
  const origins = (path: VirtualPath) => originsOf(path, differing.get(path))
  const byNow = Map.groupBy(differing.keys(), (path) => origins(path).now)
  const byGoal = Map.groupBy(differing.keys(), (path) => origins(path).goal)
  const hiding = (path: VirtualPath) => {
    const { now } = origins(path)
    return now && !byGoal.has(now) ? ancestorsOf(now).find((folder) => entryAt(tree, folder)?.opaque) : undefined
  }
  const byHiding = Map.groupBy(differing.keys(), hiding)
  return (path) => {
    const { now, goal } = origins(path)
    const folder = hiding(path)
    const same = [...((now && byGoal.get(now)) ?? []), ...((goal && byNow.get(goal)) ?? [])]
    return [...same, ...(folder && differing.has(folder) ? [folder] : []), ...(byHiding.get(path) ?? [])]
  }
}

function originsOf(path: VirtualPath, step: Step | undefined) {
  const [now, goal] = step ?? [null, null]
  return { now: now?.node ? now.renamedFrom : undefined, goal: now?.node ? undefined : (goal?.renamedFrom ?? path) }
}

/** True for a folder that was deleted or replaced, or that hides what the goal shows in it. */
function isInTheWay(step: Step | undefined): boolean {
  if (!step) return false
  const [now, goal] = step
  const isFolder = now?.node?.kind === 'directory'
  return !isFolder || (goal === null && now.pin?.kind === 'directory')
}

/** Removes folders that were made for files which no longer exist. */
function withoutEmptyFolders(tree: Tree, goal: Tree, changed: ReadonlySet<VirtualPath>): Tree {
  const folders = new Set([...changed].flatMap(ancestorsOf))
  return [...folders]
    .sort((a, b) => b.length - a.length)
    .reduce((result, folder) => {
      const entry = entryAt(result, folder)
      const made = entry?.node?.kind === 'directory' && entry.pin === null && !entryAt(goal, folder)
      return made && isEmpty(result, folder) ? withEntry(result, folder, null) : result
    }, tree)
}

function isEmpty(tree: Tree, folder: VirtualPath): boolean {
  for (const [path, { node }] of entriesWithin(tree, folder)) if (path !== folder && node) return false
  return true
}
