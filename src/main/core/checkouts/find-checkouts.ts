import type { CheckoutRecord } from '#shared/model/branch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { LogReader } from '../journal/project-log.ts'

/** The checkouts of the branches of a thread and its subagents that have not ended, the oldest first. */
export function findCheckouts(log: LogReader, threadId: ThreadId): readonly CheckoutRecord[] {
  const found = new Map<string, CheckoutRecord>()
  for (const entry of log.entriesAfter(0, ['checkout.made', 'checkout.ended'], log.rootOf(threadId))) {
    if (entry.type === 'checkout.ended') found.delete(entry.checkoutId)
    if (entry.type === 'checkout.made')
      found.set(entry.checkout.id, { ...entry.checkout, branchId: entry.branchId, at: entry.at })
  }
  return [...found.values()]
}
