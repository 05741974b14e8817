import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readlinkSync } from 'node:fs'
import { maxReadBytes } from '#core/ports/base-tree.ts'
import type { CheckoutContent, CheckoutNode } from '#core/ports/stores/checkout-folder.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { readBounded } from '../system/read-bounded.ts'

export type ReadLeaf =
  /** The stamp is empty for what changed a moment ago, since another change may leave the same times. */
  | { readonly kind: 'read'; readonly content: NonNullable<CheckoutContent>; readonly stamp: string }
  /** Somebody is writing it right now. */
  | { readonly kind: 'moving' }
  /** No branch can hold it. `why` completes "it is …". */
  | { readonly kind: 'refused'; readonly why: string }

/** A file is read again until it is so old that another change would show in its times. In nanoseconds. */
const tooFresh = 2_000_000_000n

/** Undefined where nothing is. Follows no link. */
export function statsAt(place: string): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Changes with every write to the file, and when another one takes its place. */
export function stampOf({ ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs} ${mode}`
}

/** Reads a file or a link that somebody else may change meanwhile. */
export function readLeaf(place: string, stats: BigIntStats): ReadLeaf {
  const stamp = isFresh(stats) ? '' : stampOf(stats)
  try {
    if (stats.isSymbolicLink())
      return { kind: 'read', content: { kind: 'symlink', target: readlinkSync(place) }, stamp }
    if (!stats.isFile()) return { kind: 'refused', why: 'no file, folder or link' }
    if (stats.size > BigInt(maxReadBytes)) return { kind: 'refused', why: 'larger than 256 MB' }
    const bytes = readStill(place, stats)
    if (bytes === undefined) return { kind: 'moving' }
    return { kind: 'read', content: { kind: 'file', bytes, executable: (stats.mode & 0o100n) !== 0n }, stamp }
  } catch (error) {
    const isClosed = (error as NodeJS.ErrnoException).code === 'EACCES'
    return isClosed ? { kind: 'refused', why: 'closed to you' } : { kind: 'moving' }
  }
}

/** Undefined when the file is another one by now. */
function readStill(place: string, stats: BigIntStats): Uint8Array | undefined {
  const bytes = readBounded(place, { most: maxReadBytes, follows: false })
  const after = statsAt(place)
  return after && stampOf(after) === stampOf(stats) ? new Uint8Array(bytes) : undefined
}

function isFresh({ mtimeNs, ctimeNs }: BigIntStats): boolean {
  const changed = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
  return BigInt(Date.now()) * 1_000_000n - changed < tooFresh
}

export function nodeOf(content: NonNullable<CheckoutContent>): CheckoutNode {
  if (content.kind === 'symlink') return content
  const blob = createHash('sha256').update(content.bytes).digest('hex') as BlobHash
  return { kind: 'file', blob, executable: content.executable }
}

export function sameNode(a: CheckoutNode, b: CheckoutNode): boolean {
  if (a.kind === 'file') return b.kind === 'file' && a.blob === b.blob && a.executable === b.executable
  return b.kind === 'symlink' && a.target === b.target
}
