import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'

/** Entries that a person can take back with one command. */
export type UndoableEntry = EntryOf<
  'branch.merged' | 'branch.discarded' | 'apply.finished' | 'rewound' | 'thread.delivered'
>

/** The last of them in some threads that nothing has taken back yet; undefined when there is none. */
export function findLastUndoable(entries: readonly Entry[], threads: ReadonlySet<ThreadId>): UndoableEntry | undefined {
  const undone = new Set(entries.flatMap(undoneBy))
  return entries.findLast(
    (entry): entry is UndoableEntry => isUndoable(entry) && threads.has(entry.threadId) && !undone.has(entry.sequence),
  )
}

function isUndoable(entry: Entry): entry is UndoableEntry {
  switch (entry.type) {
    case 'branch.merged':
    case 'branch.discarded':
    case 'apply.finished':
    case 'thread.delivered':
      return true
    case 'rewound':
      return entry.undoes === null
    default:
      return false
  }
}

/** The entries that an entry takes back. */
function undoneBy(entry: Entry): readonly number[] {
  switch (entry.type) {
    case 'merge.undone':
    case 'apply.undone':
    case 'delivery.undone':
      return [entry.of]
    case 'branch.restored':
      return entry.undoes === undefined ? [] : [entry.undoes]
    case 'rewound':
      return entry.undoes === null ? [] : [entry.undoes]
    default:
      return []
  }
}
