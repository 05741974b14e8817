import type { DeliveryRecord } from '#shared/model/delivery.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import type { LogReader } from '../journal/project-log.ts'

/** The deliveries of a root thread, the oldest first. */
export function findDeliveries(log: LogReader, threadId: ThreadId): readonly DeliveryRecord[] {
  const types = ['thread.delivered', 'delivery.undone', 'delivery.published'] as const
  const found = new Map<Sequence, DeliveryRecord>()
  for (const entry of log.entriesAfter(0, types, log.rootOf(threadId))) {
    if (entry.type === 'thread.delivered' && entry.threadId === threadId) {
      const { sequence, at, delivery } = entry
      found.set(sequence, { ...delivery, sequence, at, undone: false, remote: null, pullRequest: null })
    } else if (entry.type === 'delivery.undone' || entry.type === 'delivery.published') {
      const known = found.get(entry.of)
      if (!known) continue
      const { remote, pullRequest } = entry.type === 'delivery.published' ? entry : known
      found.set(entry.of, { ...known, remote, pullRequest, undone: entry.type === 'delivery.undone' || known.undone })
    }
  }
  return [...found.values()]
}

/** The commit that the person's folder was at when the work of a thread began. Null when that is not known. */
export function commitAtStart(log: LogReader, threadId: ThreadId): string | null {
  for (const entry of log.entriesAfter(0, ['thread.created', 'thread.copied'], log.rootOf(threadId))) {
    if (entry.threadId !== threadId) continue
    if (entry.type === 'thread.created' && entry.commit !== undefined) return entry.commit
    if (entry.type === 'thread.copied') return commitAtStart(log, entry.from)
  }
  return null
}
