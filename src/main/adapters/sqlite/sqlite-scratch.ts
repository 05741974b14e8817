import type { Database } from 'better-sqlite3'
import type { ScratchStore } from '#core/ports/scratch-store.ts'
import type { Clock } from '#shared/base/clock.ts'
import { translated } from './database-errors.ts'

type Listed = ReturnType<ScratchStore['list']>[number]

export function createSqliteScratch(database: Database, clock: Clock): ScratchStore {
  const list = database.prepare<[string], Listed>(
    'SELECT name, length(bytes) AS size, modified FROM scratch WHERE thread_id = ? ORDER BY name',
  )
  const read = database
    .prepare<[string, string], Uint8Array>('SELECT bytes FROM scratch WHERE thread_id = ? AND name = ?')
    .pluck()
  const write = database.prepare<[string, string, number, Uint8Array]>(
    'INSERT OR REPLACE INTO scratch (thread_id, name, modified, bytes) VALUES (?, ?, ?, ?)',
  )
  const remove = database.prepare<[string, string]>('DELETE FROM scratch WHERE thread_id = ? AND name = ?')
  return {
    list: (threadId) => translated(() => list.all(threadId)),
    read(threadId, name) {
      const bytes = translated(() => read.get(threadId, name))
      return bytes && new Uint8Array(bytes)
    },
    write: (threadId, name, bytes) => void translated(() => write.run(threadId, name, clock.now(), bytes)),
    delete: (threadId, name) => translated(() => remove.run(threadId, name)).changes > 0,
  }
}
