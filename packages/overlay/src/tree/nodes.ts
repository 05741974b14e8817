import { sameNode } from '../model/patch.ts'
import { type FileNode, isLarge, type OverlayEntry, type TreeNode } from '../model/tree-node.ts'
import { ancestorsOf, type VirtualPath } from '../model/virtual-path.ts'
import { type BaseTree, BaseTreeError, type ReadFile } from '../ports/base-tree.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { FileTreeError } from '../ports/file-tree.ts'
import type { Hashing } from '../ports/hashing.ts'
import { exactText } from './binary.ts'
import { entryAt, hidesBase, hidesBelow, isBelowMade, type Tree, withEntry } from './tree.ts'

export interface TreeSources {
  /** The user's folder below all overlays. */
  readonly base: BaseTree
  /** Content of changed and pinned files. */
  readonly blobs: BlobStore
  /** Names content by its hash. */
  readonly hashing: Hashing
  /** Aborts the reading of a large file, which throws its reason. */
  readonly signal?: AbortSignal | undefined
}

export type Leaf = Exclude<TreeNode, { kind: 'directory' }>

/** A file or a link, as opposed to a folder or nothing. */
export function isLeaf(node: TreeNode | null): node is Leaf {
  return node !== null && node.kind !== 'directory'
}

export function leafOf(node: TreeNode | null): Leaf | null {
  return isLeaf(node) ? node : null
}

/** The node at a path of a tree, without following links. Content of the base is read and kept as a blob. */
export async function resolveNode(
  sources: TreeSources & { readonly tree: Tree },
  path: VirtualPath,
): Promise<TreeNode | null> {
  const entry = entryAt(sources.tree, path)
  if (entry) return entry.node
  return hidesBase(sources.tree, path) ? null : shownNode(sources, sources.tree, path)
}

/** What the base shows at a path that nothing hides. */
async function shownNode(sources: TreeSources, tree: Tree, path: VirtualPath): Promise<TreeNode | null> {
  const isMissing = isBelowMade(tree, path) && (await sources.base.statUnlinked(path)) === undefined
  return isMissing ? null : baseNode(sources, path)
}

/**
 * The bytes of a node: a file's content, or a link's target. Empty for a folder and for nothing. Throws `too_large` for
 * a large file.
 */
export function readNode(blobs: BlobStore, node: TreeNode | null): Uint8Array {
  if (isLarge(node))
    throw new BaseTreeError('too_large', node.large.path, `A file of ${node.size} bytes is not stored.`)
  if (node?.kind === 'file') return blobs.get(node.blob)
  return node?.kind === 'symlink' ? new TextEncoder().encode(node.target) : new Uint8Array()
}

/** The text of a file, or a link's target. Undefined for a large file, and for bytes that are not UTF-8. */
export function nodeText(blobs: BlobStore, node: TreeNode | null): string | undefined {
  return isLarge(node) ? undefined : exactText(readNode(blobs, node))
}

/**
 * The node at a path of the base, with its content kept as a blob. A large file is only named: its content stays where
 * it is. Special files are refused.
 */
export async function baseNode(
  { base, blobs, signal }: Pick<TreeSources, 'base' | 'signal'> & { readonly blobs: Pick<BlobStore, 'put'> },
  path: VirtualPath,
): Promise<TreeNode | null> {
  const file = await unlinkedFile(base, blobs, path, signal)
  if (file) return file
  const found = await base.stat(path)
  switch (found?.kind) {
    case undefined:
      return null
    case 'file':
      return storeFile(blobs, { bytes: await base.read(path), executable: found.executable })
    case 'symlink':
      return { kind: 'symlink', target: found.target }
    case 'directory':
      return { kind: 'directory' }
    case 'special':
      throw new FileTreeError(
        'refused',
        path,
        `${path} is not a regular file (a FIFO, socket or device) and cannot be changed.`,
      )
  }
}

/** The file of the base at exactly this path. Undefined when a link is on the way, or no file is there. */
export async function unlinkedFile(
  base: BaseTree,
  blobs: Pick<BlobStore, 'put'>,
  path: VirtualPath,
  signal?: AbortSignal,
): Promise<FileNode | undefined> {
  try {
    const file = await base.readUnlinked(path)
    return file && storeFile(blobs, file)
  } catch (error) {
    if (!(error instanceof BaseTreeError) || error.code !== 'too_large') throw error
    const hashed = await base.hashUnlinked(path, signal)
    if (!hashed) throw error
    const { gitId, ...file } = hashed
    return { kind: 'file', ...file, large: { path, gitId } }
  }
}

function storeFile(blobs: Pick<BlobStore, 'put'>, { bytes, executable }: ReadFile): FileNode {
  return { kind: 'file', blob: blobs.put(bytes), size: bytes.length, executable }
}

/**
 * What the base held at a path before the overlay changed it. Null when the base has no real folder above the path,
 * even if a link of the base would lead somewhere.
 */
export async function pinOf(sources: TreeSources, tree: Tree, path: VirtualPath): Promise<TreeNode | null> {
  const entry = entryAt(tree, path)
  if (entry) return entry.pin
  const replaced = (above: OverlayEntry | null) =>
    above !== null && hidesBelow(above) && above.pin?.kind !== 'directory'
  const hasNothing = ancestorsOf(path).some((folder) => replaced(entryAt(tree, folder)))
  return hasNothing ? null : shownNode(sources, tree, path)
}

/**
 * The tree with `node` at `path`. The first change of a path stores `pin`. A change back to the pin removes the entry
 * if the base can show through again.
 */
export function placeNode(
  tree: Tree,
  path: VirtualPath,
  node: TreeNode | null,
  firstPin: TreeNode | null,
  details: Pick<OverlayEntry, 'changedAt'> & { readonly renamedFrom?: VirtualPath | undefined } = {},
): Tree {
  const { renamedFrom } = details
  const earlier = entryAt(tree, path)
  // What hides a whole folder keeps the time of its removal.
  const changedAt = earlier?.opaque ? earlier.changedAt : details.changedAt
  const pin = earlier ? earlier.pin : firstPin
  const needless = !earlier?.opaque && sameNode(node, pin) && (pin === null || !hidesBase(tree, path))
  if (needless) return withEntry(tree, path, null)
  return withEntry(tree, path, {
    node,
    pin,
    ...(earlier?.opaque && { opaque: true }),
    ...(node && renamedFrom && renamedFrom !== path && { renamedFrom }),
    ...(changedAt !== undefined && { changedAt }),
  })
}
