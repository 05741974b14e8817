import type { BlobHash } from '#shared/model/ids.ts'
import { sameNode } from '#shared/model/patch.ts'
import type { OverlayEntry, TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { BaseNode, BaseTree } from '../ports/base-tree.ts'
import { baseNode, type Leaf, leafOf, type TreeSources } from './nodes.ts'
import { diffTrees, entryAt, hidesBase, type Tree } from './tree.ts'
import { walk } from './walk.ts'

/** A file or link that differs between two trees over one base. Folders are changed by what is in them. */
export interface LeafChange {
  readonly path: VirtualPath
  readonly before: Leaf | null
  readonly after: Leaf | null
  /** On the new half of a rename: the path that is gone in exchange. */
  readonly renamedFrom?: VirtualPath
  /** The content is still only in the base: a side with the blob `unreadBlob` must go through `readUnread` first. */
  readonly unread?: true
}

/** Stands for the content of a file in a folder too large to be pinned when it was deleted. */
export const unreadBlob = '' as BlobHash

/**
 * Every leaf that differs, sorted by path. Each has an entry of its own in one of the trees, except below a folder that
 * one of them hides as a whole (`opaque`): those are found by looking at the base.
 */
export async function leafChanges(base: BaseTree, from: Tree, to: Tree): Promise<readonly LeafChange[]> {
  const found = new Map<VirtualPath, LeafChange>()
  const add = (path: VirtualPath, shown: TreeNode | null, unread?: true) => {
    const [before, after] = [leafOf(versionIn(from, path, shown)), leafOf(versionIn(to, path, shown))]
    if (!sameNode(before, after)) found.set(path, { path, before, after, ...(unread && { unread }) })
  }
  for (const [path, [before, after]] of diffTrees(from, to)) {
    add(path, (before ?? after)?.pin ?? null)
    if (before?.opaque === after?.opaque) continue
    for (const { path: below, node } of await unlisted(base, path, from, to)) add(below, unreadNode(node), true)
  }
  const sorted = [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  return withRenames(sorted, from, to)
}

/** What a tree holds at a path, given what the base would show there. */
export function versionIn(tree: Tree, path: VirtualPath, shown: TreeNode | null): TreeNode | null {
  const entry = entryAt(tree, path)
  if (entry) return entry.node
  return hidesBase(tree, path) ? null : shown
}

/** The change with content that was still only in the base read and kept. */
export async function readUnread(sources: TreeSources, change: LeafChange): Promise<LeafChange> {
  if (!change.unread) return change
  const leaf = leafOf(await baseNode(sources, change.path))
  const { unread: _, ...rest } = change
  return { ...rest, before: change.before && leaf, after: change.after && leaf }
}

async function unlisted(base: BaseTree, folder: VirtualPath, from: Tree, to: Tree) {
  const { entries } = await walk(base, folder)
  return entries.filter(({ path }) => !entryAt(from, path) && !entryAt(to, path))
}

function unreadNode(node: BaseNode): TreeNode | null {
  if (node.kind === 'file') return { kind: 'file', blob: unreadBlob, size: node.size, executable: node.executable }
  return node.kind === 'symlink' ? { kind: 'symlink', target: node.target } : null
}

/** Joins the halves of renames: a path that appeared, and one that went, with the same origin. */
function withRenames(changes: readonly LeafChange[], from: Tree, to: Tree): readonly LeafChange[] {
  const gone = new Map<VirtualPath, VirtualPath>()
  for (const { path, after } of changes) if (!after) gone.set(originOf(entryAt(from, path), path), path)
  return changes.map((change) => {
    const origin = change.before ? undefined : entryAt(to, change.path)?.renamedFrom
    const renamedFrom = origin && gone.get(origin)
    if (!origin || !renamedFrom) return change
    gone.delete(origin)
    return { ...change, renamedFrom }
  })
}

function originOf(entry: OverlayEntry | null, path: VirtualPath): VirtualPath {
  return entry?.renamedFrom ?? path
}
