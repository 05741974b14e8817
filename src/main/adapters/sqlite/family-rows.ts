import type { Database } from 'better-sqlite3'
import { type Journal, JournalError } from '#core/ports/journal.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { type EntryRow, toEntry } from './entry-rows.ts'

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

export function createFamilyRows(database: Database): FamilyRows {
  const text = (query: string) => database.prepare<[string], string>(query).pluck()
  const rootOfThread = text('SELECT root_id FROM thread_roots WHERE thread_id = ?')
  const ownerOfBranch = text('SELECT thread_id FROM branch_owners WHERE branch_id = ?')
  const addThread = database.prepare<[string, string, number]>('INSERT OR IGNORE INTO thread_roots VALUES (?, ?, ?)')
  const addBranch = database.prepare<[string, string]>('INSERT OR IGNORE INTO branch_owners VALUES (?, ?)')
  const rootIds = database
    .prepare<[], string>('SELECT thread_id FROM thread_roots WHERE thread_id = root_id ORDER BY began')
    .pluck()
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
      if (draft.type === 'branch.forked') addBranch.run(draft.branchId, draft.ownerThreadId)
      if (draft.type !== 'thread.created') return
      const parent = draft.parent?.threadId
      addThread.run(
        draft.threadId,
        parent === undefined ? draft.threadId : (rootOfThread.get(parent) ?? parent),
        sequence,
      )
      if (parent === undefined) roots = null
    },
  }
}

/**
 * Fills the tables from the entries of an older database. Throws `JournalError` for an entry that cannot be read. It is
 * none for a damaged file, which would be moved aside: everything else in it may be whole.
 */
export function fillFamilies(database: Database): void {
  const rows = createFamilyRows(database)
  const begins = database.prepare<[], EntryRow>(
    "SELECT * FROM entries WHERE type IN ('thread.created', 'branch.forked') ORDER BY sequence",
  )
  for (const row of begins.all()) rows.add(readBegin(row), row.sequence)
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
