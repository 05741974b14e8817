import type { Database } from 'better-sqlite3'
import type { MemoryAuthor, MemoryFile, MemoryStore } from '#core/ports/memory-store.ts'
import type { Clock } from '#shared/base/clock.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { translated } from './database-errors.ts'

interface Row {
  readonly name: string
  readonly version: number
  readonly text: string | null
  readonly thread_id: ThreadId
  readonly agent: string
  readonly at: number
}

/** Every version stays: the newest row of a name is the file, and one without text says that it was deleted. */
export function createSqliteMemory(database: Database, clock: Clock): MemoryStore {
  const newest = database.prepare<[string], Row>('SELECT * FROM memories WHERE name = ? ORDER BY version DESC LIMIT 1')
  const all = database.prepare<[], Row>(
    `SELECT * FROM memories AS this WHERE text IS NOT NULL
       AND version = (SELECT max(version) FROM memories WHERE name = this.name) ORDER BY name`,
  )
  const insert = database.prepare<[string, number, string | null, string, string, number]>(
    'INSERT INTO memories (name, version, text, thread_id, agent, at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const store = database.transaction((name: string, text: string | null, author: MemoryAuthor): Row => {
    const version = (newest.get(name)?.version ?? 0) + 1
    const at = clock.now()
    insert.run(name, version, text, author.threadId, author.agent, at)
    return { name, version, text, thread_id: author.threadId, agent: author.agent, at }
  })
  const read = (name: string): MemoryFile | undefined => {
    const row = translated(() => newest.get(name))
    return row && toFile(row)
  }

  return {
    list: () => translated(() => all.all()).flatMap((row) => toFile(row) ?? []),
    read,
    write(name, text, author) {
      const { version, at } = translated(() => store.immediate(name, text, author))
      return { name, text, version, author, updatedAt: at }
    },
    delete(name, author) {
      if (!read(name)) return false
      translated(() => store.immediate(name, null, author))
      return true
    },
  }
}

function toFile({ name, version, text, thread_id, agent, at }: Row): MemoryFile | undefined {
  if (text === null) return undefined
  return { name, text, version, author: { threadId: thread_id, agent }, updatedAt: at }
}
