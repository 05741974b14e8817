import type { Database, Statement } from 'better-sqlite3'
import type { Journal } from '#core/ports/journal.ts'
import type { Clock } from '#shared/base/clock.ts'
import type { NonEmpty } from '#shared/base/non-empty.ts'
import { areRepeatableStarts } from '#shared/model/derived/repeatable-start.ts'
import type { Entry, EntryDraft, EntryType } from '#shared/model/entry.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { createPlaceCheck, withJournalErrors } from './file/database-errors.ts'
import { createEntryReader, type EntryRow, selectEntries } from './rows/entry-rows.ts'
import { createFamilyPieces } from './rows/family-pieces.ts'
import { createFamilyRows } from './rows/family-rows.ts'
import { pack } from './rows/packing.ts'
import { rareTypes } from './rows/schema.ts'
import { createThreadKeys, type ThreadKey } from './rows/thread-keys.ts'
import type { WrittenWithStep } from './rows/written-with-step.ts'
import { createSqliteWords, isWordDamage } from './sqlite-words.ts'

/** The sequences of a family's entries, from the index by thread alone. */
const ofFamily = `SELECT sequence FROM threads JOIN entries ON thread = key
  WHERE root = (SELECT key FROM threads WHERE thread_id = @family) AND sequence > @after`

/** Reading so many rows at once is as fast as reading all, and their text is let go of before the next ones come. */
const rowsAtOnce = 500

function isRare(type: EntryType): boolean {
  return (rareTypes as readonly EntryType[]).includes(type)
}

/** Names each type by itself, because SQLite uses an index of some rows only for what is surely in it. */
function rareQuery(types: readonly EntryType[]): string {
  const ofType = (type: EntryType) => `${selectEntries} WHERE type = '${type}' AND sequence > @after`
  return `${types.length === 0 ? `${ofType('thread.created')} AND 0` : types.map(ofType).join(' UNION ALL ')} ORDER BY sequence LIMIT @limit`
}

export function createSqliteJournal(
  database: Database,
  clock: Clock,
  beside: readonly WrittenWithStep[],
  keys = createThreadKeys(database),
  reader = createEntryReader(database),
): Journal {
  const insert = database.prepare<[ThreadKey, number, string, EntryRow['body']]>(
    'INSERT INTO entries (thread, at, type, body) VALUES (?, ?, ?, ?)',
  )
  const reads = new Map<string, Statement<[object], EntryRow>>()
  const prepared = (query: string): Statement<[object], EntryRow> => {
    const known = reads.get(query) ?? database.prepare<[object], EntryRow>(query)
    reads.set(query, known)
    return known
  }
  const lastTime = database.prepare<[], number>('SELECT at FROM entries ORDER BY sequence DESC LIMIT 1').pluck()
  const words = createSqliteWords(database)
  const families = createFamilyRows(database, keys)
  const withStep = [...beside, words]
  const lastSequence = database.prepare<[], number>('SELECT max(sequence) FROM entries').pluck()
  const last = (): Sequence => lastSequence.get() ?? 0
  const pieces = createFamilyPieces(database, last)
  const owners = database
    .prepare<[number], string>(
      'SELECT thread_id FROM (SELECT DISTINCT thread FROM entries NOT INDEXED WHERE sequence > ?) JOIN threads ON key = thread',
    )
    .pluck()
  let latest = withJournalErrors(() => lastTime.get()) ?? 0
  const requireInPlace = createPlaceCheck(database.name)

  const store = database.transaction((drafts: NonEmpty<EntryDraft>, at: number): readonly Entry[] => {
    for (const one of withStep) one.flush()
    reader.flush()
    return drafts.map((draft) => {
      const { threadId, type, ...body } = draft
      const { lastInsertRowid } = insert.run(keys.keep(threadId), at, type, packBody(JSON.stringify(body)))
      const sequence = Number(lastInsertRowid)
      families.add(draft, sequence)
      return { ...draft, sequence, at }
    })
  })

  function tryStore(drafts: NonEmpty<EntryDraft>, at: number): readonly Entry[] {
    try {
      return store.immediate(drafts, at)
    } catch (error) {
      keys.forget()
      throw error
    }
  }

  /** The last row of each piece is where the next one begins. */
  function* allRows(): Generator<readonly EntryRow[]> {
    for (let after = 0; ; ) {
      const given = { after, limit: rowsAtOnce }
      const rows = prepared(`${selectEntries} WHERE sequence > @after ORDER BY sequence LIMIT @limit`).all(given)
      yield rows
      const last = rows.at(-1)
      if (!last || rows.length < rowsAtOnce) return
      after = last.sequence
    }
  }

  function* familyRows(family: ThreadId): Generator<readonly EntryRow[]> {
    for (let after: Sequence | null = 0; after !== null; ) {
      const { rows, next } = pieces({ family, after, limit: rowsAtOnce })
      yield rows
      after = next
    }
  }

  function* each(family?: ThreadId): Generator<Entry> {
    const read = family === undefined ? allRows() : familyRows(family)
    while (true) {
      const { value: rows, done } = withJournalErrors(() => read.next())
      if (done) return
      yield* reader.read(rows)
    }
  }

  /**
   * The words of the search are made of the entries. When the index notices that it is damaged, it is made again, and the
   * entry is stored.
   */
  function withWholeWords<Value>(act: () => Value): Value {
    try {
      return act()
    } catch (error) {
      if (!isWordDamage(error) || database.readonly) throw error
      words.remake()
      return act()
    }
  }

  return {
    append(drafts) {
      requireInPlace()
      /** A clock that is set back must not make entries go back in time. */
      const at = Math.max(clock.now(), latest)
      const commit = () => withWholeWords(() => tryStore(drafts, at))
      const entries = withJournalErrors(() => (areRepeatableStarts(drafts) ? withoutSync(database, commit) : commit()))
      for (const one of withStep) one.committed()
      words.stored(entries)
      const [first, last] = [entries[0], entries.at(-1)]
      if (first && last) reader.stored(first.sequence, last.sequence)
      latest = at
      return entries as unknown as NonEmpty<Entry>
    },
    read({ after, threadId, family, types, limit = -1 }) {
      if (types && threadId === undefined && family === undefined && types.every(isRare)) {
        const given = { after, limit }
        return reader.read(withJournalErrors(() => prepared(rareQuery(types)).all(given)))
      }
      const chosen = types === undefined ? '' : 'AND type IN (SELECT value FROM json_each(@types))'
      const owner = threadId === undefined ? '' : 'AND thread = (SELECT key FROM threads WHERE thread_id = @threadId)'
      const kin = family === undefined ? '' : `AND sequence IN (${ofFamily})`
      const query = `${selectEntries} WHERE sequence > @after ${owner} ${kin} ${chosen} ORDER BY sequence LIMIT @limit`
      const given = { after, threadId, family, types: JSON.stringify(types), limit }
      return reader.read(withJournalErrors(() => prepared(query).all(given)))
    },
    each,
    piece(query) {
      const { rows, next } = withJournalErrors(() => pieces(query))
      return { entries: reader.read(rows), next }
    },
    last: () => withJournalErrors(last),
    rootOf: (id) => withJournalErrors(() => families.rootOf(id)),
    roots: () => withJournalErrors(() => families.roots()),
    threadsSince: (after) => withJournalErrors(() => owners.all(after)) as ThreadId[],
    find: (query) => withJournalErrors(() => withWholeWords(() => words.find(query))),
  }
}

/**
 * The next commit syncs it too. It is a third of all commits of an agent's steps, and waiting for the disk is most of
 * what a commit takes.
 */
function withoutSync<Value>(database: Database, commit: () => Value): Value {
  database.exec('PRAGMA synchronous = NORMAL')
  try {
    return commit()
  } finally {
    database.exec('PRAGMA synchronous = FULL')
  }
}

/**
 * In bytes. Smaller bodies are frequent when a project opens, and unpacking them would cost more than the space saved.
 */
const smallestPacked = 2_048

function packBody(json: string): EntryRow['body'] {
  return json.length < smallestPacked ? json : (pack(Buffer.from(json), smallestPacked) ?? json)
}
