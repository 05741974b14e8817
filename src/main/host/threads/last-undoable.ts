import { undoMark, undoneBy } from '#shared/model/derived/undo.ts'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'

/** Entries that a person can take back with one command. */
export type UndoableEntry = EntryOf<
  'branch.merged' | 'branch.discarded' | 'apply.finished' | 'rewound' | 'thread.delivered' | 'tree.changed'
>

/** The last of them in some threads that nothing has taken back yet; undefined when there is none. */
export function findLastUndoable(entries: readonly Entry[], threads: ReadonlySet<ThreadId>): UndoableEntry | undefined {
  const open = new Map<Sequence, UndoableEntry>()
  for (const entry of entries) {
    const undone = undoneBy(entry)
    if (undone) open.delete(undone.of ?? lastMarked(open, undone.mark))
    if (isUndoable(entry) && threads.has(entry.threadId)) open.set(entry.sequence, entry)
  }
  return [...open.values()].at(-1)
}

/** The last of them that an undo of an older version means; 0 for none. */
function lastMarked(open: ReadonlyMap<Sequence, UndoableEntry>, mark: string | null): Sequence {
  return [...open.values()].findLast((entry) => undoMark(entry) === mark)?.sequence ?? 0
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
    // A person's change of a branch, such as a step that was taken off.
    case 'tree.changed':
      return entry.callId === null && entry.undoes === undefined
    default:
      return false
  }
}
