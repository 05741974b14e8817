/** Where two texts differ. Both have the same characters before `from`, and after the ends. */
interface ChangedRange {
  readonly from: number
  readonly oldEnd: number
  readonly newEnd: number
}

/** The part of a text that differs: from `from` up to `oldEnd` before, and up to `newEnd` now. */
export function changedRange(before: string, now: string): ChangedRange {
  const most = Math.min(before.length, now.length)
  let from = 0
  while (from < most && before.charCodeAt(from) === now.charCodeAt(from)) from += 1
  let end = 0
  while (end < most - from && before.charCodeAt(before.length - 1 - end) === now.charCodeAt(now.length - 1 - end)) {
    end += 1
  }
  return { from, oldEnd: before.length - end, newEnd: now.length - end }
}
