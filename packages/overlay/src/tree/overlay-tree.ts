import { byCodeUnit } from '../model/code-unit-order.ts'
import { isLarge, type LargeNode } from '../model/tree-node.ts'
import { rootPath, type VirtualPath } from '../model/virtual-path.ts'
import { type BaseListing, type BaseTree, BaseTreeError, type ByteRange } from '../ports/base-tree.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { FileTree } from '../ports/file-tree.ts'
import { createLocate, type Locate, toBaseNode } from './locate.ts'
import { childEntries, entryAt, hidesBase, hidesBelow, isBelowMade, type Tree } from './tree.ts'

export interface OverlayTreeSources {
  /** Shows through wherever the overlay has no entry. */
  readonly base: BaseTree
  /** Content of files that the overlay changed. */
  readonly blobs: BlobStore
  /** Aborts the listing of a huge folder. */
  readonly signal?: AbortSignal | undefined
}

/** Base and overlay as one tree of files. */
export function createOverlayTree({ base, blobs, tree }: OverlayTreeSources & { readonly tree: Tree }): FileTree {
  const currentTree = () => tree
  return filesOf({ base, blobs }, currentTree, createLocate(base, currentTree))
}

/** Like `createOverlayTree`, for a tree that changes during use, such as a transaction's. */
export function filesOf(
  { base, blobs, signal }: OverlayTreeSources,
  currentTree: () => Tree,
  locate: Locate,
): FileTree {
  return {
    async stat(path) {
      if (currentTree().root === null) return base.stat(path)
      return (await locate(path, false)).node
    },
    async list(path) {
      if (currentTree().root === null) return base.list(path, signal)
      const { node, path: folder } = await locate(path, true)
      return node?.kind === 'directory' ? mergedListing(base, currentTree(), folder, signal) : undefined
    },
    async read(path, range) {
      if (currentTree().root === null) return base.read(path, range)
      const untouched = isUntouched(currentTree(), path) ? await base.readUnlinked(path, range) : undefined
      if (untouched) return untouched.bytes
      const found = await locate(path, true)
      const node = found.entry?.node ?? null
      if (isLarge(node)) return readLarge(base, found.path, node, range, signal)
      if (node?.kind === 'file') return slice(blobs.get(node.blob), range)
      if (!found.node) throw new BaseTreeError('not_found', path, `There is no file at ${path}.`)
      if (found.node.kind !== 'file') throw new BaseTreeError('not_a_file', path, `${path} is not a regular file.`)
      return base.read(found.path, range)
    },
  }
}

/** True when the base shows through at the path. */
export function isUntouched(tree: Tree, path: VirtualPath): boolean {
  return entryAt(tree, path) === null && !hidesBase(tree, path)
}

/** False when something hides what the base has in a folder, or the base has no folder, or only a link to one. */
async function showsBelow(base: BaseTree, tree: Tree, folder: VirtualPath): Promise<boolean> {
  const own = folder === rootPath ? null : entryAt(tree, folder)
  if ((own && hidesBelow(own)) || hidesBase(tree, folder)) return false
  if (!own && !isBelowMade(tree, folder)) return true
  return (await base.statUnlinked(folder))?.kind === 'directory'
}

async function mergedListing(
  base: BaseTree,
  tree: Tree,
  folder: VirtualPath,
  signal: AbortSignal | undefined,
): Promise<BaseListing> {
  const below = (await showsBelow(base, tree, folder)) ? await base.list(folder, signal) : undefined
  const changed = new Map(childEntries(tree, folder))
  const kept = (below?.entries ?? []).filter(({ name }) => !changed.has(name))
  const own = [...changed].flatMap(([name, entry]) => {
    const shown = toBaseNode(entry)
    return shown ? [{ name, node: shown }] : []
  })
  const entries = own.length === 0 ? kept : [...kept, ...own].sort((a, b) => byCodeUnit(a.name, b.name))
  return { entries, unreadable: below?.unreadable ?? 0 }
}

/** A part of a large file, from where the base holds its content. */
async function readLarge(
  base: BaseTree,
  path: VirtualPath,
  { blob, size, large }: LargeNode,
  range: ByteRange | undefined,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  if (!range) throw new BaseTreeError('too_large', path, `${path} has ${size} bytes, too many to be read at once.`)
  for (const place of new Set([large.path, path])) {
    if ((await base.hashUnlinked(place, signal))?.blob !== blob) continue
    const file = await base.readUnlinked(place, range)
    if (file) return file.bytes
  }
  const message = `${path} was moved from ${large.path}, and is too large to be stored. The file on disk has changed since, so it cannot be read.`
  throw new BaseTreeError('unreadable', path, message)
}

function slice(bytes: Uint8Array, range: ByteRange | undefined): Uint8Array {
  return range ? bytes.slice(range.offset, range.offset + range.length) : bytes
}
