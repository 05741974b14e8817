const restorableFor = 7 * 24 * 60 * 60 * 1000

/** What was dropped or deleted can be brought back for seven days. Both in milliseconds since the Unix epoch. */
export function canBeRestored(deletedAt: number, now: number): boolean {
  return now <= restorableUntil(deletedAt)
}

export function restorableUntil(deletedAt: number): number {
  return deletedAt + restorableFor
}
