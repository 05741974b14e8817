import { type Patch, sameNode } from '#shared/model/patch.ts'
import { isLarge, type OverlayEntry, type TreeNode } from '#shared/model/tree-node.ts'
import { ancestorsOf, isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { baseNode, isLeaf, type TreeSources } from '../overlay/nodes.ts'
import { diffTrees, entriesWithin, entryAt, hidesBase, type Tree, withEntry } from '../overlay/tree.ts'
import { walk } from '../overlay/walk.ts'
import type { ApplyStep } from '../ports/disk-apply.ts'

/**
 * The changes on disk that an apply of these paths makes, one step per path, from its pin to the overlay's version.
 * Null means all paths. A folder includes everything below it, and half of a rename includes the other. The writer
 * handles folders above new files and folders that deletions empty.
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
    const { renamedFrom } = entry
    const source = renamedFrom && !steps.has(renamedFrom) && (await hiddenSource(options, renamedFrom, entry.node))
    if (source) steps.set(source.path, source)
    const hides = hidesUnlisted(path, entry, tree)
    if (hides) for (const step of await hiddenSteps(options, path)) steps.set(step.path, step)
    if (hides || isNeeded(path, entry, tree)) steps.set(path, { path, before: entry.pin, after: entry.node })
  }
  return [...steps.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * The patch that removes applied paths from the overlay, since the base now holds them. It names every step with its
 * pin, even paths without an entry, so that its inverse knows everything that was there.
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

/** False when the workspace changed a path after the apply was planned. */
export function saysWhatWasWritten(tree: Tree, steps: readonly ApplyStep[]): boolean {
  return steps.every(({ path, after }) => sameNode(entryAt(tree, path)?.node ?? null, after))
}

/** The steps that changed the disk, read from an apply's patch. The pins of removed entries are the versions before. */
export function writtenSteps(patch: Patch): readonly ApplyStep[] {
  return patch.flatMap(([path, [entry]]) => (entry ? [{ path, before: entry.pin, after: entry.node }] : []))
}

/** The chosen paths, the other halves of their renames, and everything that is in the way of them or their folders. */
function withCompanions(
  entries: ReadonlyMap<VirtualPath, OverlayEntry>,
  paths: readonly VirtualPath[],
): ReadonlySet<VirtualPath> {
  const chosen = new Set([...entries.keys()].filter((path) => paths.some((one) => isWithin(path, one))))
  // What is in the way may be half of another rename, so this goes on until nothing is added.
  for (let before = -1; before < chosen.size; ) {
    before = chosen.size
    addOtherHalves(entries, chosen)
    addWhatIsInTheWay(entries, chosen)
  }
  return chosen
}

function addOtherHalves(entries: ReadonlyMap<VirtualPath, OverlayEntry>, chosen: Set<VirtualPath>): void {
  for (const [path, { renamedFrom, node }] of entries) {
    // A large file is only at its old path, so whatever is new there does not arrive before it has left.
    if (!renamedFrom || (entries.get(renamedFrom)?.node && !isLarge(node))) continue
    if (!entries.has(renamedFrom)) {
      if (ancestorsOf(renamedFrom).some((folder) => chosen.has(folder) && entries.get(folder)?.opaque)) chosen.add(path)
    } else if (chosen.has(path)) chosen.add(renamedFrom)
    else if (chosen.has(renamedFrom)) chosen.add(path)
  }
}

function addWhatIsInTheWay(entries: ReadonlyMap<VirtualPath, OverlayEntry>, chosen: Set<VirtualPath>): void {
  for (const path of [...chosen]) {
    for (const folder of ancestorsOf(path)) if (isLeaf(entries.get(folder)?.pin ?? null)) chosen.add(folder)
  }
  for (const path of entries.keys()) {
    const replaced = ancestorsOf(path).some((folder) => chosen.has(folder) && isLeaf(entries.get(folder)?.node ?? null))
    if (replaced) chosen.add(path)
  }
}

/** True for a folder that needs a step of its own: an empty one, or one that replaces or is replaced by a file. */
function isNeeded(path: VirtualPath, { node, pin }: OverlayEntry, tree: Tree): boolean {
  if (sameNode(node, pin)) return false
  if (isLeaf(node) || isLeaf(pin)) return true
  const inside = [...entriesWithin(tree, path)].filter(([below]) => below !== path)
  const replaced = ancestorsOf(path).some((folder) => isLeaf(entryAt(tree, folder)?.node ?? null))
  return replaced || !inside.some(([, entry]) => isLeaf(node ? entry.node : entry.pin))
}

/**
 * True when something of the base is hidden without an entry of its own: below an opaque folder, or below what replaces
 * a folder inside one.
 */
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

/**
 * The other half of a rename out of an opaque folder, if it has no entry. A file that was written in place of a folder of
 * the base did not come from that folder, which may hold more.
 */
async function hiddenSource(
  options: TreeSources & { readonly tree: Tree },
  path: VirtualPath,
  moved: TreeNode | null,
): Promise<ApplyStep | undefined> {
  if (entryAt(options.tree, path) || !hidesBase(options.tree, path)) return undefined
  const before = await baseNode(options, path)
  if (before?.kind === 'directory' && moved?.kind !== 'directory') return undefined
  return before ? { path, before, after: null } : undefined
}

function hiddenEntry({ before }: ApplyStep): OverlayEntry | null {
  return before && { node: null, pin: before }
}

/** Removes a folder's own entry when the disk now agrees with it. */
function settleFolder(result: Tree, tree: Tree, folder: VirtualPath, applied: ReadonlySet<VirtualPath>): Tree {
  const entry = entryAt(tree, folder)
  if (!entry || (entry.opaque && !applied.has(folder))) return result
  if (entry.node?.kind === 'directory') {
    return withEntry(result, folder, hidesBase(result, folder) ? { node: entry.node, pin: entry.node } : null)
  }
  const waiting = [...entriesWithin(result, folder)].some(([path, { pin }]) => path !== folder && isLeaf(pin))
  return entry.node === null && !waiting ? withEntry(result, folder, null) : result
}

/**
 * Keeps an entry for an applied file below a folder that still hides the base. The entry says what the base now holds.
 */
function keepBelowHidden(result: Tree, tree: Tree, path: VirtualPath): Tree {
  const node: TreeNode | null = entryAt(tree, path)?.node ?? null
  return node && hidesBase(result, path) ? withEntry(result, path, { node, pin: node }) : result
}
