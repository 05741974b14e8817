import { diffIndices } from 'node-diff3'
import { equalEnds, splitLines } from './text-lines.ts'

/** One side's change: base lines from `start` up to `end` become `lines`. */
interface Change {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}
type Reach = Pick<Change, 'start' | 'end'>

/**
 * Null when the sides changed the same or touching lines differently. A missing final newline is a change like any
 * other.
 *
 * Where lines repeat, a change can be read at more than one place (was this brace added before or after the other?),
 * and two readings can merge to two texts. So a change extends over neighbouring lines that equal its own. Changes that
 * then touch are left to a person, unless both sides made the same one.
 */
export function mergeTexts(base: string, ours: string, theirs: string): { readonly text: string } | null {
  const lines = splitLines(base)
  const mine = changesOf(lines, splitLines(ours))
  const other = changesOf(lines, splitLines(theirs))
  const reaches = mine.map((change) => ({ change, reach: reachOf(lines, change) }))
  const joined = [...mine]
  for (const change of other) {
    const reach = reachOf(lines, change)
    const met = reaches.filter((one) => one.reach.start <= reach.end && reach.start <= one.reach.end)
    if (met.length === 0) joined.push(change)
    else if (!met.every((one) => isSame(one.change, change))) return null
  }
  return {
    text: apply(
      lines,
      joined.sort((a, b) => a.start - b.start),
    ),
  }
}

/** Most of a text is unchanged, so only the part between its equal ends is compared. */
function changesOf(base: readonly string[], side: readonly string[]): readonly Change[] {
  const { before, behind } = equalEnds(base, side)
  const [old, fresh] = [base.slice(before, base.length - behind), side.slice(before, side.length - behind)]
  return diffIndices(old, fresh).map(({ buffer1: [start, length], buffer2: [from, count] }) => ({
    start: before + start,
    end: before + start + length,
    lines: fresh.slice(from, from + count),
  }))
}

function reachOf(base: readonly string[], { start, end, lines }: Change): Reach {
  const own = new Set([...base.slice(start, end), ...lines])
  let first = start
  while (first > 0 && own.has(base[first - 1] ?? '')) first -= 1
  let last = end
  while (last < base.length && own.has(base[last] ?? '')) last += 1
  return { start: first, end: last }
}

function isSame(a: Change, b: Change): boolean {
  if (a.start !== b.start || a.end !== b.end || a.lines.length !== b.lines.length) return false
  return a.lines.every((line, index) => line === b.lines[index])
}

function apply(base: readonly string[], changes: readonly Change[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, lines } of changes) {
    parts.push(base.slice(at, start).join(''), lines.join(''))
    at = end
  }
  parts.push(base.slice(at).join(''))
  return parts.join('')
}
