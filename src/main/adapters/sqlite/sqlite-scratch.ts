import type { Database } from 'better-sqlite3'
import type { ScratchFile, ScratchStore } from '#core/ports/scratch-store.ts'
import type { Clock } from '#shared/base/clock.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { withJournalErrors } from './database-errors.ts'
import type { WrittenWithStep } from './sqlite-journal.ts'

type Listed = Omit<ScratchFile, 'revision'>

export interface SqliteScratch extends WrittenWithStep {
  readonly store: ScratchStore
}

const mostLists = 16

interface PendingFile {
  readonly bytes: Uint8Array
  readonly modified: number
}

export function createSqliteScratch(database: Database, clock: Clock): SqliteScratch {
  /** Null for a deleted file. */
  const pending = new Map<ThreadId, Map<string, PendingFile | null>>()
  /** Counts the writes of this process, and holds the count at which each file was written last. */
  let writes = 0
  const revisions = new Map<ThreadId, Map<string, number>>()
  /** Every command asks for them, and they rarely change. Only this process writes. */
  const lists = new Map<ThreadId, readonly ScratchFile[]>()
  const list = database.prepare<[string], Listed>(
    'SELECT name, length(bytes) AS size, modified FROM scratch WHERE thread_id = ?',
  )
  const select = database
    .prepare<[string, string], Uint8Array>('SELECT bytes FROM scratch WHERE thread_id = ? AND name = ?')
    .pluck()
  const write = database.prepare<[string, string, number, Uint8Array]>(
    'INSERT OR REPLACE INTO scratch (thread_id, name, modified, bytes) VALUES (?, ?, ?, ?)',
  )
  const remove = database.prepare<[string, string]>('DELETE FROM scratch WHERE thread_id = ? AND name = ?')

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
    const bytes = withJournalErrors(() => select.get(threadId, name))
    return bytes && new Uint8Array(bytes)
  }

  function listFiles(threadId: ThreadId): readonly ScratchFile[] {
    const files = new Map(withJournalErrors(() => list.all(threadId)).map((file) => [file.name, file]))
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
          if (held) write.run(threadId, name, held.modified, held.bytes)
          else remove.run(threadId, name)
        }
      }
    },
    committed: () => pending.clear(),
  }
}
