import { goneWith } from '../ignored/ignored-files.ts'
import type { BlobHash } from '../model/blob-hash.ts'
import { sameNode } from '../model/patch.ts'
import type { BranchDiff, ChangeKind, FileChange } from '../model/reports.ts'
import { isLarge, type OverlayEntry, permissionsMark, type TreeNode } from '../model/tree-node.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { type BaseNode, type BaseTree, maxReadBytes } from '../ports/base-tree.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { isBinary } from './binary.ts'
import { baseNode, type Leaf, leafOf, readNode, type TreeSources } from './nodes.ts'
import { diffTrees, entryAt, hidesBase, type Tree } from './tree.ts'
import type { Walked } from './walk.ts'

export interface ChangesOptions {
  /** Read only below folders that a tree hides as a whole. */
  readonly base: BaseTree
  /** Holds the content of both trees. */
  readonly blobs: BlobStore
  /** `emptyTree` for changes against the base. */
  readonly from: Tree
  /** The tree with the changes. */
  readonly to: Tree
  /** Counts the lines of modified files. Without it these counts are null. */
  readonly textMerge?: TextMerge
  /** Whether each change gets its `identity`. */
  readonly identified?: boolean
}

/** Larger files are not compared line by line. */
const maxComparedBytes = 1024 * 1024

/** The changes from `from` to `to`, one record per file or link. A rename is one record under its new path. */
export async function listChanges(options: ChangesOptions): Promise<FileChange[]> {
  const listed: FileChange[] = []
  for (const change of await wholeChanges(options)) {
    const described = await describeChange(change, options)
    listed.push(options.identified ? { ...described, identity: identityOf(change.before, change.after) } : described)
  }
  return listed
}

/** The `identity` of each change that `listChanges` would list, by path. Reads no content. */
export async function identifyChanges(
  options: Pick<ChangesOptions, 'base' | 'from' | 'to'>,
): Promise<ReadonlyMap<VirtualPath, string>> {
  const changes = await wholeChanges(options)
  return new Map(changes.map(({ path, before, after }) => [path, identityOf(before, after)]))
}

/** The changes with both halves of each rename in one, under its new path. */
export async function wholeChanges({
  base,
  from,
  to,
}: Pick<ChangesOptions, 'base' | 'from' | 'to'>): Promise<readonly LeafChange[]> {
  const changes = await leafChanges(base, from, to)
  const renamed = new Set(changes.flatMap(({ renamedFrom }) => (renamedFrom ? [renamedFrom] : [])))
  const befores = new Map(changes.map(({ path, before }) => [path, before]))
  return changes
    .filter(({ path, after }) => after || !renamed.has(path))
    .map((change) => (change.renamedFrom ? { ...change, before: befores.get(change.renamedFrom) ?? null } : change))
}

/** Names both versions: equal only if both are. */
function identityOf(...versions: readonly (Leaf | null)[]): string {
  return versions
    .map((node) => (node?.kind === 'file' ? `${node.blob}${permissionsMark(node)}` : node?.target))
    .join(' ')
}

/** The summary of a branch's changes that tools return. */
export function branchDiff(changes: readonly FileChange[]): BranchDiff {
  return {
    written: changes
      .filter(({ kind }) => kind !== 'delete' && kind !== 'rename')
      .map(({ path, kind, size }) => ({ path, kind, size })),
    deleted: changes.filter(({ kind }) => kind === 'delete').map(({ path }) => path),
    renamed: changes.flatMap(({ kind, path, from }) => (kind === 'rename' && from ? [{ from, to: path }] : [])),
  }
}

/** The kind of a change, from the nodes before and after. */
export function kindOf({
  before,
  after,
  renamedFrom,
}: Pick<LeafChange, 'before' | 'after' | 'renamedFrom'>): ChangeKind {
  if (renamedFrom) return 'rename'
  if (!after) return 'delete'
  if (after.kind === 'symlink') return 'symlink'
  if (!before) return 'create'
  return before.kind === 'file' && before.blob === after.blob ? 'mode' : 'modify'
}

export async function describeChange(
  change: LeafChange,
  { blobs, textMerge }: Pick<ChangesOptions, 'blobs' | 'textMerge'>,
): Promise<FileChange> {
  const { path, before, after, renamedFrom } = change
  const head = { path, kind: kindOf(change), size: sizeOf(after), ...(renamedFrom && { from: renamedFrom }) }
  const large = Math.max(...[before, after].map(largeSize))
  if (large > 0) return { ...head, added: null, removed: null, binary: false, large }
  const tooLarge = [before, after].some((node) => sizeOf(node) > maxComparedBytes || isUnread(node))
  if (tooLarge) return { ...head, added: null, removed: null, binary: false }
  if (before?.kind === 'file' && after?.kind === 'file' && before.blob === after.blob) {
    return { ...head, added: 0, removed: 0, binary: isBinary(readNode(blobs, after)) }
  }
  const [old, fresh] = [readNode(blobs, before), readNode(blobs, after)]
  if (isBinary(old) || isBinary(fresh)) return { ...head, added: null, removed: null, binary: true }
  return { ...head, ...(await countLines(old, fresh, textMerge)), binary: false }
}

async function countLines(old: Uint8Array, fresh: Uint8Array, textMerge: TextMerge | undefined) {
  if (old.length === 0 || fresh.length === 0) return { added: lineCount(fresh), removed: lineCount(old) }
  if (!textMerge) return { added: null, removed: null }
  const decoder = new TextDecoder()
  const { added, removed } = await textMerge.hunks(decoder.decode(old), decoder.decode(fresh), 0)
  return { added, removed }
}

function lineCount(bytes: Uint8Array): number {
  if (bytes.length === 0) return 0
  let lines = bytes.at(-1) === 10 ? 0 : 1
  for (const byte of bytes) if (byte === 10) lines += 1
  return lines
}

function sizeOf(node: Leaf | null): number {
  if (node?.kind === 'file') return node.size
  return node?.kind === 'symlink' ? new TextEncoder().encode(node.target).length : 0
}

/** 0 for a node that is not large. */
function largeSize(node: Leaf | null): number {
  const isUnreadLarge = isUnread(node) && sizeOf(node) > maxReadBytes
  return isLarge(node) || isUnreadLarge ? sizeOf(node) : 0
}

function isUnread(node: Leaf | null): boolean {
  return node?.kind === 'file' && node.blob === unreadBlob
}

/** A file or link that differs between two trees over one base. A folder changes only through its content. */
export interface LeafChange {
  /** The new path of a rename. */
  readonly path: VirtualPath
  /** Null when nothing, or a folder, was there. */
  readonly before: Leaf | null
  /** Null when nothing, or a folder, is there now. */
  readonly after: Leaf | null
  /** Set on the new half of a rename: the old path. */
  readonly renamedFrom?: VirtualPath
  /** The content is still only in the base: a side with the blob `unreadBlob` must go through `readUnread` first. */
  readonly unread?: true
}

/** Stands for the content of a deleted file whose folder was too large to be pinned. */
const unreadBlob = '' as BlobHash

/**
 * Every leaf that differs, sorted by path. Each has its own entry in one of the trees, except below a folder that one
 * of them hides as a whole (`opaque`). Those are found by reading the base.
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
    const removedAt = (before?.opaque ? before : after)?.changedAt
    for (const { path: below, node } of await findUnlisted(base, path, removedAt, from, to))
      add(below, unreadNode(node), true)
  }
  const sorted = [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  return withRenames(sorted, from, to)
}

/** The version of a path in a tree, given the base's node at that path. Null when nothing is there. */
export function versionIn(tree: Tree, path: VirtualPath, shown: TreeNode | null): TreeNode | null {
  const entry = entryAt(tree, path)
  if (entry) return entry.node
  return hidesBase(tree, path) ? null : shown
}

/** Reads and keeps content that was still only in the base. */
export async function readUnread(sources: TreeSources, change: LeafChange): Promise<LeafChange> {
  if (!change.unread) return change
  const leaf = leafOf(await baseNode(sources, change.path))
  const { unread: _, ...rest } = change
  return { ...rest, before: change.before && leaf, after: change.after && leaf }
}

async function findUnlisted(
  base: BaseTree,
  folder: VirtualPath,
  removedAt: number | undefined,
  from: Tree,
  to: Tree,
): Promise<readonly Walked[]> {
  const { gone } = await goneWith(base, folder, removedAt)
  return gone.filter(({ path }) => !entryAt(from, path) && !entryAt(to, path))
}

function unreadNode(node: BaseNode): TreeNode | null {
  if (node.kind === 'file') return { kind: 'file', blob: unreadBlob, size: node.size, executable: node.executable }
  return node.kind === 'symlink' ? { kind: 'symlink', target: node.target } : null
}

/** Joins the halves of renames: a path that appeared and a path that disappeared, with the same origin. */
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
