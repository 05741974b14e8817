import { entriesWithin, entryAt, isLeaf, type Tree } from '#overlay'
import { isLarge, type OverlayEntry, permissionsMark, type TreeNode } from '#shared/model/tree-node.ts'
import { ancestorsOf, isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { ApplyStep } from '../ports/disk-apply.ts'

type Entries = ReadonlyMap<VirtualPath, OverlayEntry>
/** The paths that an apply of each path takes along. */
type Links = ReadonlyMap<VirtualPath, readonly VirtualPath[]>

/** The chosen paths, the other halves of their renames, and everything that is in the way of them or their folders. */
export function withCompanions(entries: Entries, paths: readonly VirtualPath[]): ReadonlySet<VirtualPath> {
  const chosen = [...entries.keys()].filter((path) => paths.some((one) => isWithin(path, one)))
  return follow(linksOf(entries), chosen)
}

/** A file that is written or deleted together with a chosen one. */
export interface Companion {
  readonly path: VirtualPath
  /** Names what the apply does to it: equal only if both versions are. */
  readonly identity: string
  readonly deleted: boolean
}

/**
 * What an apply of each path alone would write besides it. Paths without companions are left out.
 * @param steps the plan for all paths
 */
export function companionsOf(
  tree: Tree,
  steps: readonly ApplyStep[],
  paths: readonly VirtualPath[],
): ReadonlyMap<VirtualPath, readonly Companion[]> {
  const entries = new Map(entriesWithin(tree, rootPath))
  const links = linksOf(entries)
  const planned = new Map(steps.map((step) => [step.path, step]))
  const unlisted = steps.filter(({ path }) => !entries.has(path))
  const found = new Map<VirtualPath, readonly Companion[]>()
  for (const path of paths) {
    const along = new Set<VirtualPath>()
    const inside = [...entriesWithin(tree, path)].map(([below]) => below)
    for (const one of follow(links, inside)) {
      along.add(one)
      const entry = entryAt(tree, one)
      if (entry?.renamedFrom && !entries.has(entry.renamedFrom)) along.add(entry.renamedFrom)
      if (unlisted.length > 0 && (entry?.opaque || entry?.pin?.kind === 'directory')) {
        for (const step of unlisted) if (isWithin(step.path, one)) along.add(step.path)
      }
    }
    along.delete(path)
    const companions = [...along].flatMap((one) => {
      const step = planned.get(one)
      return step && isFileStep(step) ? [companionOf(step)] : []
    })
    if (companions.length > 0) found.set(path, companions)
  }
  return found
}

/** Whether a step writes or deletes a file, and not only a folder. */
export function isFileStep({ before, after }: ApplyStep): boolean {
  return isLeaf(before) || isLeaf(after)
}

export function companionOf({ path, before, after }: ApplyStep): Companion {
  return { path, identity: `${nameOf(before)} ${nameOf(after)}`, deleted: !isLeaf(after) }
}

function nameOf(node: TreeNode | null): string {
  switch (node?.kind) {
    case 'file':
      return `${node.blob}${permissionsMark(node)}`
    case 'symlink':
      return `>${node.target}`
    default:
      return node ? '/' : '-'
  }
}

function follow(links: Links, start: readonly VirtualPath[]): ReadonlySet<VirtualPath> {
  const reached = new Set(start)
  // A set hands out what is added while it is walked.
  for (const path of reached) for (const next of links.get(path) ?? []) reached.add(next)
  return reached
}

function linksOf(entries: Entries): Links {
  const links = new Map<VirtualPath, VirtualPath[]>()
  const link = (from: VirtualPath, to: VirtualPath): void => {
    const known = links.get(from)
    if (known) known.push(to)
    else links.set(from, [to])
  }
  for (const [path, { renamedFrom, node }] of entries) {
    if (renamedFrom) linkHalves(entries, path, { renamedFrom, node }, link)
    for (const folder of ancestorsOf(path)) {
      if (isLeaf(entries.get(folder)?.pin ?? null)) link(path, folder)
      if (isLeaf(entries.get(folder)?.node ?? null)) link(folder, path)
    }
  }
  return links
}

function linkHalves(
  entries: Entries,
  path: VirtualPath,
  { renamedFrom, node }: { readonly renamedFrom: VirtualPath; readonly node: TreeNode | null },
  link: (from: VirtualPath, to: VirtualPath) => void,
): void {
  // A large file is only at its old path, so whatever is new there does not arrive before it has left.
  if (entries.get(renamedFrom)?.node && !isLarge(node)) return
  if (entries.has(renamedFrom)) {
    link(path, renamedFrom)
    link(renamedFrom, path)
    return
  }
  for (const folder of ancestorsOf(renamedFrom)) if (entries.get(folder)?.opaque) link(folder, path)
}
