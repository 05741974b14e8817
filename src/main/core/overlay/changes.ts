import type { BranchDiff, ChangeKind, FileChange } from '#shared/model/branch.ts'
import type { BaseTree } from '../ports/base-tree.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { isBinary } from './binary.ts'
import { type LeafChange, leafChanges, unreadBlob } from './leaf-changes.ts'
import { type Leaf, readNode } from './nodes.ts'
import type { Tree } from './tree.ts'

export interface ChangesOptions {
  readonly base: BaseTree
  readonly blobs: BlobStore
  /** `emptyTree` for changes against the base. */
  readonly from: Tree
  readonly to: Tree
  /** Counts lines of modified files; without it those counts are null. */
  readonly textMerge?: TextMerge
}

/** Larger files are not compared line by line. */
const maxComparedBytes = 1024 * 1024

/** What `to` changed against `from`, one record per file or link; a rename is one record under its new path. */
export async function listChanges(options: ChangesOptions): Promise<FileChange[]> {
  const changes = await leafChanges(options.base, options.from, options.to)
  const renamed = new Set(changes.flatMap(({ renamedFrom }) => (renamedFrom ? [renamedFrom] : [])))
  const befores = new Map(changes.map(({ path, before }) => [path, before]))
  const listed: FileChange[] = []
  for (const change of changes) {
    if (renamed.has(change.path) && !change.after) continue
    const before = change.renamedFrom ? (befores.get(change.renamedFrom) ?? null) : change.before
    listed.push(await describeChange({ ...change, before }, options))
  }
  return listed
}

/** The record that tools report of a branch. */
export function branchDiff(changes: readonly FileChange[]): BranchDiff {
  return {
    written: changes
      .filter(({ kind }) => kind !== 'delete' && kind !== 'rename')
      .map(({ path, kind, size }) => ({ path, kind, size })),
    deleted: changes.filter(({ kind }) => kind === 'delete').map(({ path }) => path),
    renamed: changes.flatMap(({ kind, path, from }) => (kind === 'rename' && from ? [{ from, to: path }] : [])),
  }
}

/** The kind of a change from what stood there before and after. */
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

function isUnread(node: Leaf | null): boolean {
  return node?.kind === 'file' && node.blob === unreadBlob
}
