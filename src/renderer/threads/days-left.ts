import type { ThreadState } from '#shared/model/thread.ts'
import { restorableUntil } from '#shared/model/thread.ts'

const day = 24 * 60 * 60 * 1000

/** Whole days that a deleted thread can still be restored. */
export function daysLeft({ deletedAt }: ThreadState, now: number): number {
  return deletedAt === null ? 0 : Math.floor((restorableUntil(deletedAt) - now) / day)
}
