import type { EntryOf } from '#shared/model/entry.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { LogReader } from '../../journal/project-log.ts'

/** The agent's own id of the last conversation of a thread. Null for a thread without one, and after a rewind. */
export function lastSession(log: LogReader, threadId: ThreadId): string | null {
  const known = log.entriesAfter(0, ['session.began', 'rewound'], log.rootOf(threadId))
  const last = known.findLast((entry) => entry.type === 'rewound' || entry.threadId === threadId)
  return last?.type === 'session.began' ? last.session : null
}

/** The sessions that the journal knows no end of. */
export function openSessions(log: LogReader): readonly EntryOf<'session.began'>[] {
  const open = new Map<string, EntryOf<'session.began'>>()
  for (const entry of log.entries(['session.began', 'session.ended'])) {
    if (entry.type === 'session.ended') open.delete(entry.view)
    if (entry.type === 'session.began') open.set(entry.view, entry)
  }
  return [...open.values()]
}

/** Who owns the view of a session. No other view has this owner. */
export function viewOwner(branchId: BranchId, view: string): string {
  return `${branchId} ${view}`
}
