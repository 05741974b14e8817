import { type Patch, sameNode } from '#shared/model/patch.ts'
import type { OverlayEntry, TreeNode } from '#shared/model/tree-node.ts'
import { ancestorsOf, isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { baseNode, isLeaf, type TreeSources } from '../overlay/nodes.ts'
import { diffTrees, entriesWithin, entryAt, hidesBase, type Tree, withEntry } from '../overlay/tree.ts'
import { walk } from '../overlay/walk.ts'
import type { ApplyStep } from '../ports/disk-apply.ts'

/**
 * What applying paths of a tree (all when null) does on disk, one step per path: from its pin to what the overlay holds.
 * A folder stands for all in it, half of a rename for both. Folders above new files, and folders that deletions empty,
 * are left to the writer.
 */
export async function planApply(
  options: TreeSources & { readonly tree: Tree; readonly paths: readonly VirtualPath[] | null },
): Promise<readonly ApplyStep[]> {
  const { tree, paths } = options
  const entries = new Map(entriesWithin(tree, rootPath))
  const chosen = paths === null ? new Set(entries.keys()) : withCompanions(entries, paths)
  const steps = new Map<VirtualPath, ApplyStep>()
  for (const [path, entry] of entries) {
    if (!chosen.has(path)) continue
    const source =
      entry.renamedFrom && !steps.has(entry.renamedFrom) && (await hiddenSource(options, entry.renamedFrom))
    if (source) steps.set(source.path, source)
    const hides = hidesUnlisted(path, entry, tree)
    if (hides) for (const step of await hiddenSteps(options, path)) steps.set(step.path, step)
    if (hides || isNeeded(path, entry, tree)) steps.set(path, { path, before: entry.pin, after: entry.node })
  }
  return [...steps.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * What an apply leaves of the overlay: applied paths are as the base has them now, so their entries go. The patch names
 * every step with its pin, also those that had no entry, so that its inverse knows all that was there.
 */
export function patchAfterApply(tree: Tree, steps: readonly ApplyStep[]): Patch {
  const applied = new Set(steps.map(({ path }) => path))
  const known = steps.reduce(
    (result, step) => (entryAt(tree, step.path) ? result : withEntry(result, step.path, hiddenEntry(step))),
    tree,
  )
  const remaining = [...applied].reduce((result, path) => withEntry(result, path, null), known)
  const folders = [...new Set([...applied].flatMap((path) => [path, ...ancestorsOf(path)]))].sort(
    (a, b) => a.length - b.length,
  )
  const settled = folders.reduce((result, folder) => settleFolder(result, tree, folder, applied), remaining)
  return diffTrees(
    known,
    [...applied].reduce((result, path) => keepBelowHidden(result, tree, path), settled),
  )
}

/** False where the workspace changed a path again after it was planned. */
export function saysWhatWasWritten(tree: Tree, steps: readonly ApplyStep[]): boolean {
  return steps.every(({ path, after }) => sameNode(entryAt(tree, path)?.node ?? null, after))
}

/** The steps that changed the disk, read from an apply's patch. The pins of the removed entries are the versions before. */
export function writtenSteps(patch: Patch): readonly ApplyStep[] {
  return patch.flatMap(([path, [entry]]) => (entry ? [{ path, before: entry.pin, after: entry.node }] : []))
}

/** The chosen paths, the other halves of their renames, and what stands where they or their folders must be. */
function withCompanions(
  entries: ReadonlyMap<VirtualPath, OverlayEntry>,
  paths: readonly VirtualPath[],
): ReadonlySet<VirtualPath> {
  const chosen = new Set([...entries.keys()].filter((path) => paths.some((one) => isWithin(path, one))))
  for (const [path, { renamedFrom }] of entries) {
    if (!renamedFrom || entries.get(renamedFrom)?.node) continue
    if (!entries.has(renamedFrom)) {
      if (ancestorsOf(renamedFrom).some((folder) => chosen.has(folder) && entries.get(folder)?.opaque)) chosen.add(path)
    } else if (chosen.has(path)) chosen.add(renamedFrom)
    else if (chosen.has(renamedFrom)) chosen.add(path)
  }
  for (const path of [...chosen]) {
    for (const folder of ancestorsOf(path)) if (isLeaf(entries.get(folder)?.pin ?? null)) chosen.add(folder)
  }
  for (const path of entries.keys()) {
    const replaced = ancestorsOf(path).some((folder) => chosen.has(folder) && isLeaf(entries.get(folder)?.node ?? null))
    if (replaced) chosen.add(path)
  }
  return chosen
}

/** Folders matter to the writer where they are all there is: empty ones, and those that change their kind. */
function isNeeded(path: VirtualPath, { node, pin }: OverlayEntry, tree: Tree): boolean {
  if (sameNode(node, pin)) return false
  if (isLeaf(node) || isLeaf(pin)) return true
  const inside = [...entriesWithin(tree, path)].filter(([below]) => below !== path)
  const replaced = ancestorsOf(path).some((folder) => isLeaf(entryAt(tree, folder)?.node ?? null))
  return replaced || !inside.some(([, entry]) => isLeaf(node ? entry.node : entry.pin))
}

/** True where things of the base are hidden that no entry names: an opaque folder, or what replaces a folder in one. */
function hidesUnlisted(path: VirtualPath, { node, pin, opaque }: OverlayEntry, tree: Tree): boolean {
  const replaces = pin?.kind === 'directory' && node?.kind !== 'directory'
  return opaque === true || (replaces && ancestorsOf(path).some((folder) => entryAt(tree, folder)?.opaque))
}

/** Deletions of the base's paths below a folder that have no entry in the overlay. */
async function hiddenSteps(
  options: TreeSources & { readonly tree: Tree },
  folder: VirtualPath,
): Promise<readonly ApplyStep[]> {
  const { entries } = await walk(options.base, folder)
  const steps: ApplyStep[] = []
  for (const { path } of entries) {
    if (entryAt(options.tree, path)) continue
    steps.push({ path, before: await baseNode(options, path), after: null })
  }
  return steps
}

/** The other half of a rename out of an opaque folder, which has no entry. */
async function hiddenSource(
  options: TreeSources & { readonly tree: Tree },
  path: VirtualPath,
): Promise<ApplyStep | undefined> {
  if (entryAt(options.tree, path) || !hidesBase(options.tree, path)) return undefined
  const before = await baseNode(options, path)
  return before ? { path, before, after: null } : undefined
}

function hiddenEntry({ before }: ApplyStep): OverlayEntry | null {
  return before && { node: null, pin: before }
}

/** A folder's own entry goes when the disk now says the same: it was made there, or all in it was deleted there. */
function settleFolder(result: Tree, tree: Tree, folder: VirtualPath, applied: ReadonlySet<VirtualPath>): Tree {
  const entry = entryAt(tree, folder)
  if (!entry || (entry.opaque && !applied.has(folder))) return result
  if (entry.node?.kind === 'directory') {
    return withEntry(result, folder, hidesBase(result, folder) ? { node: entry.node, pin: entry.node } : null)
  }
  const waiting = [...entriesWithin(result, folder)].some(([path, { pin }]) => path !== folder && isLeaf(pin))
  return entry.node === null && !waiting ? withEntry(result, folder, null) : result
}

/** Below a folder that still hides the base, an applied file stays listed, now as what the base holds. */
function keepBelowHidden(result: Tree, tree: Tree, path: VirtualPath): Tree {
  const node: TreeNode | null = entryAt(tree, path)?.node ?? null
  return node && hidesBase(result, path) ? withEntry(result, path, { node, pin: node }) : result
}
