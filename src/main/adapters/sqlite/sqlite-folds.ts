import type { Database } from 'better-sqlite3'
import type { Hashing } from '#core/ports/hashing.ts'
import type { FoldStore } from '#core/ports/stores/fold-store.ts'
import { withJournalErrors } from './file/database-errors.ts'
import { pack, unpack } from './rows/packing.ts'

interface FoldRow {
  readonly version: string
  readonly sequence: number
  readonly digest: string
  readonly body: string | Uint8Array
}

/** Bytes. A damaged row could unpack to more than the memory holds. */
const largestFold = 1024 * 1024 * 1024
/** Bytes. Less is not worth packing. */
const smallestPacked = 4_096

/** Keeps one fold in the project's database. A row whose bytes do not fit its digest counts as missing. */
export function createSqliteFolds(database: Database, hashing: Hashing): FoldStore {
  const select = database.prepare<[], FoldRow>('SELECT * FROM folds LIMIT 1')
  const clear = database.prepare('DELETE FROM folds')
  const insert = database.prepare<[string, number, string, string | Uint8Array]>(
    'INSERT INTO folds VALUES (?, ?, ?, ?)',
  )
  const digestOf = (version: string, sequence: number, body: string) =>
    hashing.hash(Buffer.from(`${version}\n${sequence}\n${body}`))
  const replace = database.transaction((version: string, sequence: number, digest: string, body: string) => {
    clear.run()
    insert.run(version, sequence, digest, pack(Buffer.from(body), smallestPacked) ?? body)
  })
  return {
    read() {
      try {
        const row = select.get()
        if (!row) return null
        const body = typeof row.body === 'string' ? row.body : Buffer.from(unpack(row.body, largestFold)).toString()
        const { version, sequence } = row
        return digestOf(version, sequence, body) === row.digest ? { version, sequence, body } : null
      } catch {
        return null
      }
    },
    write({ version, sequence, body }) {
      withJournalErrors(() => replace.immediate(version, sequence, digestOf(version, sequence, body), body))
    },
  }
}
