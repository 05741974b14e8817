import type { Database } from 'better-sqlite3'
import type { PieceQuery } from '#core/ports/journal.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { type EntryRow, selectEntries } from './entry-rows.ts'
import type { ThreadKey } from './thread-keys.ts'

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
 * pieces too. Most families have few threads, and are listed at once wherever they are in a long journal. A thread without
 * subagents needs no list.
 */
export function createFamilyPieces(
  database: Database,
  last: () => Sequence,
  { listedAtOnce, fewThreads }: ListSizes = usualSizes,
): (query: PieceQuery) => RowPiece {
  const threadsOf = database
    .prepare<[ThreadId, number], ThreadKey>(
      'SELECT key FROM threads WHERE root = (SELECT key FROM threads WHERE thread_id = ?) LIMIT ?',
    )
    .pluck()
  const list = database
    .prepare<[object], Sequence>(
      `SELECT sequence FROM threads JOIN entries ON thread = key
       WHERE root = (SELECT key FROM threads WHERE thread_id = @family) AND sequence > @after AND sequence <= @until
       ORDER BY sequence`,
    )
    .pluck()
  const select = database.prepare<[string], EntryRow>(
    `${selectEntries} WHERE sequence IN (SELECT value FROM json_each(?)) ORDER BY sequence`,
  )
  const selectRange = database.prepare<[object], EntryRow>(
    `${selectEntries} WHERE sequence BETWEEN @first AND @last ORDER BY sequence`,
  )
  const selectThread = database.prepare<[object], EntryRow>(
    `${selectEntries} WHERE thread = @thread AND sequence > @after ORDER BY sequence LIMIT @limit`,
  )
  let listed: Listed | null = null

  function rowsOf(sequences: readonly Sequence[]): readonly EntryRow[] {
    const [first = 1, last = 0] = [sequences[0], sequences.at(-1)]
    const isUnbroken = last - first < sequences.length
    return isUnbroken ? selectRange.all({ first, last }) : select.all(JSON.stringify(sequences))
  }

  const listOf = (family: ThreadId, after: Sequence): Listed | null =>
    listed?.family === family && listed.after <= after && after < listed.until ? listed : null

  /** A part of the journal that begins at `after` or before it. */
  function listFrom(family: ThreadId, after: Sequence, end: Sequence): Listed {
    const known = listOf(family, after)
    if (known) return known
    const isSmall = threadsOf.all(family, fewThreads + 1).length <= fewThreads
    const until = isSmall ? end : Math.min(after + listedAtOnce, end)
    listed = { family, after, until, sequences: list.all({ family, after, until }) }
    return listed
  }

  function readListed({ family, after, limit }: PieceQuery): RowPiece {
    const end = last()
    const chosen: Sequence[] = []
    let from = after
    while (from < end && chosen.length < limit) {
      const { sequences, until } = listFrom(family, from, end)
      const first = indexAfter(sequences, from)
      chosen.push(...sequences.slice(first, first + limit - chosen.length))
      const isFull = chosen.length === limit
      from = isFull ? (chosen.at(-1) ?? until) : until
    }
    if (from >= end) listed = null
    return { rows: rowsOf(chosen), next: from < end ? from : null }
  }

  /** The index has the entries of one thread in order. */
  function readThread(thread: ThreadKey, { after, limit }: PieceQuery): RowPiece {
    const rows = selectThread.all({ thread, after, limit })
    return { rows, next: rows.length === limit ? (rows.at(-1)?.sequence ?? null) : null }
  }

  return (query) => {
    if (listOf(query.family, query.after)) return readListed(query)
    const [thread, ...others] = threadsOf.all(query.family, 2)
    return thread !== undefined && others.length === 0 ? readThread(thread, query) : readListed(query)
  }
}

/** Where the first one after `from` is, or would be. They are in order. */
function indexAfter(sequences: readonly Sequence[], from: Sequence): number {
  let [low, high] = [0, sequences.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sequences[middle] ?? from) > from) high = middle
    else low = middle + 1
  }
  return low
}
