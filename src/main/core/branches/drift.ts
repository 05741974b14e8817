import {
  baseNode,
  createLocate,
  diffTrees,
  entryAt,
  hidesBase,
  isLeaf,
  type OverlayTransaction,
  type Tree,
  unlinkedFile,
} from '#overlay'
import type { Drift, DriftKind } from '#shared/model/drift.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { type Patch, sameNode } from '#shared/model/patch.ts'
import { staleRead } from '#shared/model/thread.ts'
import type { OverlayEntry, TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { FileTreeError } from '../ports/file-tree.ts'
import type { Hashing } from '../ports/hashing.ts'

/** What one agent knows of the project: its branch, the fork point, and the versions of the files it read. */
export interface KnownFiles {
  /** The head of the agent's branch. */
  readonly tree: Tree
  /** The tree its branch started from. */
  readonly forkPoint: Tree
  /** Hash of each file as the agent last read or wrote it. */
  readonly reads: ReadonlyMap<VirtualPath, BlobHash>
}

export interface DiskSources {
  /** The user's folder as it is on disk now. */
  readonly base: BaseTree
  /** Content is compared, because times on disk prove nothing. */
  readonly hashing: Hashing
}

/** Every path that the agent read or changed. Changes inherited from its parent are left out. */
export function touchedPaths({ tree, forkPoint, reads }: KnownFiles): ReadonlySet<VirtualPath> {
  return new Set([...reads.keys(), ...filesIn(diffTrees(forkPoint, tree))])
}

/** The paths of a patch that are files or links, before or after it. */
export function filesIn(patch: Patch): readonly VirtualPath[] {
  return patch.flatMap(([path, step]) =>
    step.some((entry) => entry && (isLeaf(entry.node) || isLeaf(entry.pin))) ? [path] : [],
  )
}

/** How the disk changed at one path since the agent read or changed it; null when it did not. */
export async function driftAt(
  sources: DiskSources,
  { tree, reads }: KnownFiles,
  path: VirtualPath,
): Promise<Drift | null> {
  const entry = entryAt(tree, path)
  if (entry) return changedDrift(sources, path, entry)
  const known = reads.get(path)
  return known === undefined || known === staleRead || hidesBase(tree, path)
    ? null
    : readDrift(sources, tree, path, known)
}

/**
 * Drift of a file that the branch changed: compares the disk with the pin. If the disk already holds the branch's
 * version, because the patch was applied by other means, there is no drift.
 */
async function changedDrift(
  sources: DiskSources,
  path: VirtualPath,
  { pin, node }: OverlayEntry,
): Promise<Drift | null> {
  if (!isLeaf(pin) && !isLeaf(node)) return null
  const found = await diskAt(sources, path)
  if (!isProblem(found) && (sameNode(found, pin) || sameNode(found, withoutMode(node)))) return null
  return { path, kind: kindOf(found, pin), since: 'changed', disk: nameOf(found) }
}

/** What the disk says of a file: permissions that were chosen for it are no content. */
function withoutMode(node: TreeNode | null): TreeNode | null {
  if (node?.kind !== 'file') return node
  const { mode: _, ...rest } = node
  return rest
}

/** Drift of the file that a path leads to. Null when the transaction shows the disk unchanged. */
export async function driftUnder(
  sources: DiskSources,
  transaction: OverlayTransaction,
  path: VirtualPath,
): Promise<Drift | null> {
  if (transaction.tree.root === null) return null
  const real = entryAt(transaction.tree, path) ? path : await transaction.leadsTo(path)
  const entry = real === undefined ? null : entryAt(transaction.tree, real)
  return real === undefined || entry === null ? null : changedDrift(sources, real, entry)
}

async function readDrift(sources: DiskSources, tree: Tree, path: VirtualPath, known: BlobHash): Promise<Drift | null> {
  const found = await readAt(sources, tree, path)
  if (found === 'covered' || (!isProblem(found) && found?.kind === 'file' && found.blob === known)) return null
  return { path, kind: isFile(found) ? 'changed' : kindOf(found, null), since: 'read', disk: nameOf(found) }
}

type Problem = 'link' | 'special' | 'unreadable'
type OnDisk = TreeNode | null | Problem

const isProblem = (found: OnDisk | 'covered'): found is Problem | 'covered' => typeof found === 'string'
const isFile = (found: OnDisk): boolean => !isProblem(found) && found?.kind === 'file'

/**
 * The version on disk that a reader of the path would get. `covered` when the branch shows its own version instead. The
 * branch must not have changed the path itself.
 */
async function readAt(sources: DiskSources, tree: Tree, path: VirtualPath): Promise<OnDisk | 'covered'> {
  try {
    // Most paths lead to no other one, and reading the file shows it.
    const plain = await unlinkedFile(sources.base, hashesOf(sources), path)
    if (plain) return plain
    const { path: real, entry } = await createLocate(sources.base, () => tree)(path, true)
    return entry || hidesBase(tree, real) ? 'covered' : await diskAt(sources, real)
  } catch (error) {
    return problemOf(error)
  }
}

async function diskAt(sources: DiskSources, path: VirtualPath): Promise<OnDisk> {
  try {
    return await baseNode({ base: sources.base, blobs: hashesOf(sources) }, path)
  } catch (error) {
    return problemOf(error)
  }
}

/** Names content without keeping it. */
function hashesOf({ hashing }: DiskSources): Pick<BlobStore, 'put'> {
  return { put: (bytes) => hashing.hash(bytes) }
}

function problemOf(error: unknown): Problem {
  if (error instanceof FileTreeError) return 'special'
  if (!(error instanceof BaseTreeError)) throw error
  return error.code === 'link_leaves_root' || error.code === 'link_loop' ? 'link' : 'unreadable'
}

function kindOf(found: OnDisk, before: TreeNode | null): DriftKind {
  if (isProblem(found)) return found
  switch (found?.kind) {
    case undefined:
      return 'deleted'
    case 'directory':
      return 'folder'
    case 'symlink':
      return before?.kind === 'symlink' ? 'changed' : 'link'
    case 'file':
      return before === null ? 'appeared' : 'changed'
  }
}

function nameOf(found: OnDisk): string {
  if (isProblem(found)) return found
  switch (found?.kind) {
    case undefined:
      return 'nothing'
    case 'directory':
      return 'folder'
    case 'symlink':
      return `link to ${found.target}`
    case 'file':
      return found.executable ? `${found.blob} executable` : found.blob
  }
}
