import type { Database } from 'better-sqlite3'
import type { ScratchFile, ScratchStore } from '#core/ports/stores/scratch-store.ts'
import type { Clock } from '#shared/base/clock.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { withJournalErrors } from './file/database-errors.ts'
import { pack, unpack } from './rows/packing.ts'
import type { ThreadKey, ThreadKeys } from './rows/thread-keys.ts'
import type { WrittenWithStep } from './rows/written-with-step.ts'

type Listed = Omit<ScratchFile, 'revision'>

export interface SqliteScratch extends WrittenWithStep {
  readonly store: ScratchStore
}

const mostLists = 16
/** Of a thread without a single row. */
const noKey: ThreadKey = 0
/** In bytes. Packing less saves little. */
const smallestPacked = 513

interface PendingFile {
  readonly bytes: Uint8Array
  readonly modified: number
}

export function createSqliteScratch(database: Database, clock: Clock, keys: ThreadKeys): SqliteScratch {
  /** Null for a deleted file. */
  const pending = new Map<ThreadId, Map<string, PendingFile | null>>()
  /** Counts the writes of this process, and holds the count at which each file was written last. */
  let writes = 0
  const revisions = new Map<ThreadId, Map<string, number>>()
  /** Every command asks for them, and they rarely change. Only this process writes. */
  const lists = new Map<ThreadId, readonly ScratchFile[]>()
  const list = database.prepare<[ThreadKey], Listed>('SELECT name, size, modified FROM scratch WHERE thread = ?')
  const select = database.prepare<[ThreadKey, string], { readonly size: number; readonly bytes: Uint8Array }>(
    'SELECT size, bytes FROM scratch WHERE thread = ? AND name = ?',
  )
  const write = database.prepare<[ThreadKey, string, number, number, Uint8Array]>(
    'INSERT OR REPLACE INTO scratch (thread, name, modified, size, bytes) VALUES (?, ?, ?, ?, ?)',
  )
  const remove = database.prepare<[ThreadKey, string]>('DELETE FROM scratch WHERE thread = ? AND name = ?')

  const keyOf = (threadId: ThreadId) => keys.find(threadId) ?? noKey
  const hold = (threadId: ThreadId, name: string, file: PendingFile | null): void => {
    const files = pending.get(threadId) ?? new Map<string, PendingFile | null>()
    pending.set(threadId, files.set(name, file))
    lists.delete(threadId)
    writes += 1
    revisions.set(threadId, (revisions.get(threadId) ?? new Map()).set(name, writes))
  }
  const read: ScratchStore['read'] = (threadId, name) => {
    const held = pending.get(threadId)?.get(name)
    if (held !== undefined) return held?.bytes.slice()
    const row = withJournalErrors(() => select.get(keyOf(threadId), name))
    if (!row) return undefined
    return new Uint8Array(row.bytes.length < row.size ? unpack(row.bytes, row.size) : row.bytes)
  }

  function listFiles(threadId: ThreadId): readonly ScratchFile[] {
    const files = new Map(withJournalErrors(() => list.all(keyOf(threadId))).map((file) => [file.name, file]))
    for (const [name, held] of pending.get(threadId) ?? []) {
      if (held) files.set(name, { name, size: held.bytes.length, modified: held.modified })
      else files.delete(name)
    }
    const written = revisions.get(threadId)
    return [...files.values()]
      .map((file) => ({ ...file, revision: written?.get(file.name) ?? 0 }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  return {
    store: {
      list(threadId) {
        const listed = lists.get(threadId) ?? listFiles(threadId)
        if (lists.size >= mostLists) lists.clear()
        lists.set(threadId, listed)
        return listed
      },
      read,
      write: (threadId, name, bytes) => hold(threadId, name, { bytes: bytes.slice(), modified: clock.now() }),
      delete(threadId, name) {
        const isThere = read(threadId, name) !== undefined
        if (isThere) hold(threadId, name, null)
        return isThere
      },
    },
    flush() {
      for (const [threadId, files] of pending) {
        for (const [name, held] of files) {
          if (held) write.run(keys.keep(threadId), name, held.modified, held.bytes.length, packed(held.bytes))
          else remove.run(keyOf(threadId), name)
        }
      }
    },
    committed: () => pending.clear(),
  }
}

/** Fewer bytes than the file has are compressed ones. */
function packed(bytes: Uint8Array): Uint8Array {
  return pack(bytes, smallestPacked) ?? bytes
}
