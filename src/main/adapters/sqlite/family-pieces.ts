import type { Database } from 'better-sqlite3'
import type { PieceQuery } from '#core/ports/journal.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { type EntryRow, selectEntries } from './entry-rows.ts'

/** The rows of one piece, and the sequence after which the next one begins; null at the end. */
export interface RowPiece {
  readonly rows: readonly EntryRow[]
  readonly next: Sequence | null
}

/** The sequences of a family in a part of the journal. */
interface Listed {
  readonly family: ThreadId
  /** Exclusive. */
  readonly after: Sequence
  readonly until: Sequence
  readonly sequences: readonly Sequence[]
}

interface ListSizes {
  /** So much of the journal is searched for a family's entries at once. It takes hundredths of a second at most. */
  readonly listedAtOnce: number
  /** A family of at most so many threads is listed whole. */
  readonly fewThreads: number
}

const usualSizes: ListSizes = { listedAtOnce: 20_000, fewThreads: 100 }

/**
 * Reads a family piece by piece. The index names the entries of each thread, so putting those of ten thousand threads in
 * order takes longer than reading a piece. So they are listed for a part of the journal, and the list serves the next
 * pieces too. Most families have few threads, and are listed at once wherever they are in a long journal.
 */
export function createFamilyPieces(
  database: Database,
  last: () => Sequence,
  { listedAtOnce, fewThreads }: ListSizes = usualSizes,
): (query: PieceQuery) => RowPiece {
  const countThreads = database
    .prepare<[ThreadId, number], number>(`SELECT count(*) FROM (
        SELECT 1 FROM threads WHERE root = (SELECT key FROM threads WHERE thread_id = ?) LIMIT ?)`)
    .pluck()
  const list = database
    .prepare<[object], Sequence>(
      `SELECT sequence FROM threads JOIN entries ON thread = key
       WHERE root = (SELECT key FROM threads WHERE thread_id = @family) AND sequence > @after AND sequence <= @until ORDER BY sequence`,
    )
    .pluck()
  const select = database.prepare<[string], EntryRow>(
    `${selectEntries} WHERE sequence IN (SELECT value FROM json_each(?)) ORDER BY sequence`,
  )
  const selectRange = database.prepare<[object], EntryRow>(
    `${selectEntries} WHERE sequence BETWEEN @first AND @last ORDER BY sequence`,
  )
  let listed: Listed | null = null

  function rowsOf(sequences: readonly Sequence[]): readonly EntryRow[] {
    const [first = 1, last = 0] = [sequences[0], sequences.at(-1)]
    const isUnbroken = last - first < sequences.length
    return isUnbroken ? selectRange.all({ first, last }) : select.all(JSON.stringify(sequences))
  }

  /** A part of the journal that begins at `after` or before it. */
  function listFrom(family: ThreadId, after: Sequence, end: Sequence): Listed {
    if (listed?.family === family && listed.after <= after && after < listed.until) return listed
    const isSmall = (countThreads.get(family, fewThreads + 1) ?? 0) <= fewThreads
    const until = isSmall ? end : Math.min(after + listedAtOnce, end)
    listed = { family, after, until, sequences: list.all({ family, after, until }) }
    return listed
  }

  return ({ family, after, limit }) => {
    const end = last()
    const chosen: Sequence[] = []
    let from = after
    while (from < end && chosen.length < limit) {
      const { sequences, until } = listFrom(family, from, end)
      const later = sequences.filter((sequence) => sequence > from).slice(0, limit - chosen.length)
      chosen.push(...later)
      const isFull = chosen.length === limit
      from = isFull ? (chosen.at(-1) ?? until) : until
    }
    if (from >= end) listed = null
    return { rows: rowsOf(chosen), next: from < end ? from : null }
  }
}
