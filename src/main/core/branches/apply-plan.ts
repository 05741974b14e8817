import {
  baseNode,
  diffTrees,
  entriesWithin,
  entryAt,
  goneWith,
  hidesBase,
  isLeaf,
  type Tree,
  type TreeSources,
  withEntry,
} from '#overlay'
import { type Patch, sameNode } from '#shared/model/patch.ts'
import type { OverlayEntry, TreeNode } from '#shared/model/tree-node.ts'
import { ancestorsOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { ApplyStep } from '../ports/disk-apply.ts'
import { withCompanions } from './apply-companions.ts'

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
    const hidden = hidesUnlisted(path, entry, tree) ? await hiddenSteps(options, path) : undefined
    for (const step of hidden?.steps ?? []) steps.set(step.path, step)
    // A folder stays with what stays in it.
    if (hidden ? entry.node || hidden.isWhole : isNeeded(path, entry, tree))
      steps.set(path, { path, before: entry.pin, after: entry.node })
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
): Promise<{ readonly steps: readonly ApplyStep[]; readonly isWhole: boolean }> {
  const removed = [folder, ...ancestorsOf(folder)].map((one) => entryAt(options.tree, one)).find((one) => one?.opaque)
  const { gone, isWhole } = await goneWith(options.base, folder, removed?.changedAt)
  const steps: ApplyStep[] = []
  for (const { path } of gone) {
    if (entryAt(options.tree, path)) continue
    steps.push({ path, before: await baseNode(options, path), after: null })
  }
  return { steps, isWhole }
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
