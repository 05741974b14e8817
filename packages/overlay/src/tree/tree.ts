import { type Patch, sameEntry } from '../model/patch.ts'
import type { OverlayEntry, TreeNode } from '../model/tree-node.ts'
import { ancestorsOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import type { Hashing } from '../ports/hashing.ts'
import {
  deleteFrom,
  differences,
  emptyMap,
  getFrom,
  type MapNode,
  type PersistentMap,
  pairsFrom,
  seek,
  setIn,
} from './persistent-map.ts'

/**
 * Everything that a branch changed over the base, as an immutable value. A fork copies the reference.
 *
 * An entry hides whatever the base holds below its path, unless it is a folder: what the person later puts into a folder of
 * that name is seen beside what the branch has there. Folders that the overlay made have their own entries. Deleting a folder leaves whiteouts for
 * it and everything in it, so that every path keeps its pin. Only a very large folder gets a single whiteout, marked
 * `opaque`. It also hides what is not listed below it, even after the folder is made again.
 */
export type Tree = PersistentMap<OverlayEntry>

export const emptyTree: Tree = emptyMap

export function entryAt(tree: Tree, path: VirtualPath): OverlayEntry | null {
  return getFrom(tree, path) ?? null
}

/** The tree with another entry for one path; null lets the base show through. */
export function withEntry(tree: Tree, path: VirtualPath, entry: OverlayEntry | null): Tree {
  if (!entry) return deleteFrom(tree, path)
  return sameEntry(entryAt(tree, path), entry) ? tree : setIn(tree, path, entry)
}

/** The tree after the patch. Its `before` is not checked; `appliesTo` does that. */
export function patchTree(tree: Tree, patch: Patch): Tree {
  return patch.reduce((patched, [path, [, after]]) => withEntry(patched, path, after), tree)
}

/** The patch that turns `before` into `after`. The cost grows with their differences, not with their size. */
export function diffTrees(before: Tree, after: Tree): Patch {
  return differences(before, after)
    .map(([path, from, to]) => [path as VirtualPath, [from ?? null, to ?? null]] as const)
    .filter(([, [from, to]]) => !sameEntry(from, to))
}

/** True when the base cannot be seen below the path of this entry. */
export function hidesBelow({ node, opaque }: OverlayEntry): boolean {
  return opaque === true || node?.kind !== 'directory'
}

/** True when an entry above `path` hides what the base has at `path`. */
export function hidesBase(tree: Tree, path: VirtualPath): boolean {
  return someAbove(tree, path, hidesBelow)
}

/**
 * True when the branch made a folder above `path`. The base may have a link in its place, which must not be followed: only
 * `statUnlinked` and `readUnlinked` say what the base has at `path`.
 */
export function isBelowMade(tree: Tree, path: VirtualPath): boolean {
  return someAbove(tree, path, () => true)
}

function someAbove(tree: Tree, path: VirtualPath, holds: (entry: OverlayEntry) => boolean): boolean {
  if (tree.root === null) return false
  return ancestorsOf(path).some((folder) => {
    const entry = getFrom(tree, folder)
    return entry !== undefined && holds(entry)
  })
}

/** The entry of `folder` and all entries below it, sorted by path, so that a folder comes before its content. */
export function* entriesWithin(tree: Tree, folder: VirtualPath): Generator<[VirtualPath, OverlayEntry]> {
  const own = entryAt(tree, folder)
  if (own) yield [folder, own]
  const prefix = folder === rootPath ? '/' : `${folder}/`
  for (const [path, entry] of pairsFrom(tree, prefix)) {
    if (!path.startsWith(prefix)) return
    yield [path as VirtualPath, entry]
  }
}

/** The entries directly below `folder`, by name. Deeper ones are skipped. */
export function* childEntries(tree: Tree, folder: VirtualPath): Generator<[name: string, OverlayEntry]> {
  const prefix = folder === rootPath ? '/' : `${folder}/`
  let pair = seek(tree, prefix)
  while (pair?.[0].startsWith(prefix)) {
    const name = pair[0].slice(prefix.length)
    const slash = name.indexOf('/')
    if (slash < 0) yield [name, pair[1]]
    pair = seek(tree, slash < 0 ? `${pair[0]}\0` : `${prefix}${name.slice(0, slash)}0`)
  }
}

/** A hash of the whole overlay. Equal trees have equal hashes, whatever led to them. */
export function treeHash(tree: Tree, hashing: Hashing): string {
  return digestOf(tree.root, hashing)
}

/** Equal nodes may name different places of a large content. */
function withoutPlace(node: TreeNode | null): TreeNode | null {
  if (node?.kind !== 'file' || !node.large) return node
  const { large: _, ...rest } = node
  return rest
}

const encoder = new TextEncoder()

function digestOf(node: MapNode<OverlayEntry> | null, hashing: Hashing): string {
  if (!node) return ''
  if (node.digest === undefined) {
    const { node: content, pin, opaque = false, renamedFrom = '' } = node.value
    const own = JSON.stringify([node.key, withoutPlace(content), withoutPlace(pin), opaque, renamedFrom])
    const [left, right] = [digestOf(node.left, hashing), digestOf(node.right, hashing)]
    node.digest = hashing.hash(encoder.encode(`${left}\n${own}\n${right}`))
  }
  return node.digest
}
