import type { Database } from 'better-sqlite3'
import { type Journal, JournalError } from '#core/ports/journal.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { type EntryRow, toEntry } from './entry-rows.ts'
import type { ThreadKeys } from './thread-keys.ts'

/**
 * Which root thread every thread and branch belongs to. The rows are stored in the transaction of the entry that began
 * the thread or branch, so they are never behind the journal.
 */
export interface FamilyRows extends Pick<Journal, 'rootOf' | 'roots'> {
  /** Call inside the transaction that stores the entry. */
  add(draft: EntryDraft, sequence: Sequence): void
}

/** So many answers are remembered. An id never gets another root. */
const remembered = 20_000

export function createFamilyRows(database: Database, keys: ThreadKeys): FamilyRows {
  const rootOfThread = database
    .prepare<[string], string>(
      'SELECT thread_id FROM threads WHERE key = (SELECT root FROM threads WHERE thread_id = ?)',
    )
    .pluck()
  const ownerOfBranch = database
    .prepare<[string], string>('SELECT thread_id FROM branch_owners JOIN threads ON key = thread WHERE branch_id = ?')
    .pluck()
  const rootKey = database.prepare<[number], number | null>('SELECT root FROM threads WHERE key = ?').pluck()
  const begin = database.prepare<[number, number, number]>(
    'UPDATE threads SET root = ?, began = ? WHERE key = ? AND root IS NULL',
  )
  const addBranch = database.prepare<[string, number]>('INSERT OR IGNORE INTO branch_owners VALUES (?, ?)')
  const rootIds = database.prepare<[], string>('SELECT thread_id FROM threads WHERE key = root ORDER BY began').pluck()
  const known = new Map<string, ThreadId>()
  let roots: readonly ThreadId[] | null = null

  function find(id: string): ThreadId | undefined {
    const owner = rootOfThread.get(id) ?? rootOfThread.get(ownerOfBranch.get(id) ?? '')
    if (owner === undefined) return undefined
    if (known.size >= remembered) known.clear()
    known.set(id, owner as ThreadId)
    return owner as ThreadId
  }

  return {
    rootOf: (id: ThreadId | BranchId) => known.get(id) ?? find(id),
    roots() {
      roots ??= rootIds.all() as ThreadId[]
      return roots
    },
    add(draft, sequence) {
      if (draft.type === 'branch.forked') addBranch.run(draft.branchId, keys.keep(draft.ownerThreadId))
      if (draft.type !== 'thread.created') return
      const key = keys.keep(draft.threadId)
      const parent = draft.parent ? keys.keep(draft.parent.threadId) : null
      begin.run(parent === null ? key : (rootKey.get(parent) ?? parent), sequence, key)
      if (parent === null) roots = null
    },
  }
}

/**
 * Fills the tables that had these rows before threads had keys, from the entries. Throws `JournalError` for an entry that
 * cannot be read. It is none for a damaged file, which would be moved aside: everything else in it may be whole.
 */
export function fillFamilies(database: Database): void {
  const addThread = database.prepare<[object]>(
    `INSERT OR IGNORE INTO thread_roots
     VALUES (@id, coalesce((SELECT root_id FROM thread_roots WHERE thread_id = @parent), @parent, @id), @sequence)`,
  )
  const addBranch = database.prepare<[object]>('INSERT OR IGNORE INTO branch_owners VALUES (@branch, @owner)')
  const begins = database.prepare<[], EntryRow>(
    "SELECT * FROM entries WHERE type IN ('thread.created', 'branch.forked') ORDER BY sequence",
  )
  for (const row of begins.all()) {
    const entry = readBegin(row)
    if (entry.type === 'branch.forked') addBranch.run({ branch: entry.branchId, owner: entry.ownerThreadId })
    if (entry.type !== 'thread.created') continue
    addThread.run({ id: entry.threadId, parent: entry.parent?.threadId ?? null, sequence: row.sequence })
  }
}

function readBegin(row: EntryRow): EntryDraft {
  try {
    return toEntry(row)
  } catch {
    throw new JournalError(
      'failing',
      `Entry ${row.sequence} of the journal, “${row.type}”, cannot be read. Nothing was changed. Restore a backup.`,
    )
  }
}
