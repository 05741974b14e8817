import type { Database } from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import { type BlobCollector, type BlobStore, BlobStoreError, type StoredBlob } from '#core/ports/blob-store.ts'
import type { Hashing } from '#core/ports/hashing.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { withJournalErrors } from './file/database-errors.ts'
import { pack, unpack } from './rows/packing.ts'
import type { WrittenWithStep } from './rows/written-with-step.ts'

const smallestPacked = 513
const mostKeptBytes = 24 * 1024 * 1024

export interface SqliteBlobs extends WrittenWithStep {
  readonly store: BlobStore
  readonly collector: BlobCollector
}

/** Content that the next step stores. */
interface Pending {
  readonly bytes: Uint8Array
  /** The compressed bytes. Undefined when compression saves too little. */
  readonly small: Uint8Array | undefined
}

interface Row {
  readonly size: number
  readonly compressed: number
  readonly bytes: Uint8Array
}

export function createSqliteBlobs(database: Database, hashing: Hashing): SqliteBlobs {
  /**
   * Compressed one by one when they are put, so that a step with thousands of them does not compress them all at once.
   */
  const pending = new Map<BlobHash, Pending>()
  /** Stored content, already checked against its hash when it was read. */
  const recent = keepRecentBytes(mostKeptBytes)
  /** Content put by this process. The collector keeps it. */
  const put = new Set<BlobHash>()
  const exists = database.prepare<[Buffer], number>('SELECT 1 FROM blobs WHERE hash = ?').pluck()
  const insert = database.prepare('INSERT INTO blobs (hash, size, compressed, bytes) VALUES (?, ?, ?, ?)')
  const select = database.prepare<[Buffer], Row>('SELECT size, compressed, bytes FROM blobs WHERE hash = ?')

  return {
    store: {
      put(bytes) {
        const hash = hashing.hash(bytes)
        put.add(hash)
        const isKnown = pending.has(hash) || recent.get(hash) || withJournalErrors(() => exists.get(key(hash)))
        if (!isKnown) pending.set(hash, { bytes: bytes.slice(), small: pack(bytes, smallestPacked) })
        return hash
      },
      get(hash) {
        const held = pending.get(hash)?.bytes ?? recent.get(hash)
        if (held) return held.slice()
        const row = withJournalErrors(() => select.get(key(hash)))
        if (!row) throw new BlobStoreError('missing', `No content with the hash ${hash} was ever stored.`)
        const bytes = readBlob(hash, row, hashing)
        recent.keep(hash, bytes)
        return bytes.slice()
      },
    },
    collector: createCollector(database, (hash) => put.has(hash), recent.drop),
    flush() {
      for (const [hash, { bytes, small }] of pending) insert.run(key(hash), bytes.length, small ? 1 : 0, small ?? bytes)
    },
    committed() {
      for (const [hash, { bytes }] of pending) recent.keep(hash, bytes)
      pending.clear()
    },
  }
}

function createCollector(
  database: Database,
  wasPut: (hash: BlobHash) => boolean,
  forget: (hash: BlobHash) => void,
): BlobCollector {
  const list = database.prepare<[number, number], ListedRow>(
    'SELECT rowid AS row, lower(hex(hash)) AS hash, length(bytes) AS bytes FROM blobs WHERE rowid > ? ORDER BY rowid LIMIT ?',
  )
  const remove = database.prepare<[Buffer]>('DELETE FROM blobs WHERE hash = ?')
  const removeAll = database.transaction((unused: readonly StoredBlob[]) => {
    for (const { hash } of unused) if (!wasPut(hash)) remove.run(key(hash))
  })
  return {
    *stored(limit) {
      for (let after = 0; ; ) {
        const rows = withJournalErrors(() => list.all(after, limit))
        yield rows.map(({ hash, bytes }) => ({ hash, bytes, fresh: wasPut(hash) }))
        if (rows.length < limit) return
        after = rows.at(-1)?.row ?? after
      }
    },
    remove(unused) {
      withJournalErrors(() => removeAll.immediate(unused))
      for (const { hash } of unused) forget(hash)
    },
  }
}

interface ListedRow {
  readonly row: number
  readonly hash: BlobHash
  readonly bytes: number
}

function key(hash: BlobHash): Buffer {
  return Buffer.from(hash, 'hex')
}

function readBlob(hash: BlobHash, row: Row, hashing: Hashing): Uint8Array {
  const bytes = row.compressed ? inflate(row) : row.bytes
  if (!bytes || hashing.hash(bytes) !== hash) {
    throw new BlobStoreError('damaged', `The stored content with the hash ${hash} is damaged.`)
  }
  return new Uint8Array(bytes)
}

function inflate(row: Row): Uint8Array | undefined {
  try {
    return unpack(row.bytes, row.size)
  } catch {
    return undefined
  }
}

/**
 * The most recently used content, up to a number of bytes. What an agent wrote is soon compared, merged and read again.
 */
export interface RecentBytes {
  get(hash: BlobHash): Uint8Array | undefined
  /** Keeps the given array itself, not a copy. */
  keep(hash: BlobHash, bytes: Uint8Array): void
  drop(hash: BlobHash): void
}

export function keepRecentBytes(most: number): RecentBytes {
  const kept = new LRUCache<BlobHash, Uint8Array>({
    maxSize: most,
    maxEntrySize: Math.floor(most / 16),
    sizeCalculation: ({ length }) => Math.max(1, length),
  })
  return {
    get: (hash) => kept.get(hash),
    keep: (hash, bytes) => void kept.set(hash, bytes),
    drop: (hash) => void kept.delete(hash),
  }
}
