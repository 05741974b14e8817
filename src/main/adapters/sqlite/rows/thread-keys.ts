import type { Database } from 'better-sqlite3'
import type { ThreadId } from '#shared/model/ids.ts'

/** What rows hold in place of the id of their thread, which takes 36 bytes in each of them and in their index. */
export type ThreadKey = number

export interface ThreadKeys {
  /** Undefined for a thread that has no stored row yet. */
  find(id: ThreadId): ThreadKey | undefined
  /** Makes a key for a thread that has none. Call inside the transaction that stores its first row. */
  keep(id: ThreadId): ThreadKey
  /** Call after such a transaction failed, because its keys are not there. */
  forget(): void
}

/** So many are remembered. A thread never gets another key. */
const remembered = 20_000

export function createThreadKeys(database: Database): ThreadKeys {
  const select = database.prepare<[string], number>('SELECT key FROM threads WHERE thread_id = ?').pluck()
  const insert = database.prepare<[string]>('INSERT INTO threads (thread_id) VALUES (?)')
  const known = new Map<ThreadId, ThreadKey>()

  function remember(id: ThreadId, key: ThreadKey): ThreadKey {
    if (known.size >= remembered) known.clear()
    known.set(id, key)
    return key
  }

  function find(id: ThreadId): ThreadKey | undefined {
    const key = known.get(id) ?? select.get(id)
    return key === undefined ? undefined : remember(id, key)
  }

  return {
    find,
    keep: (id) => find(id) ?? remember(id, Number(insert.run(id).lastInsertRowid)),
    forget: () => known.clear(),
  }
}
