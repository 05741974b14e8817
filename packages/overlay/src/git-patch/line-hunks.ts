import type { TextMerge } from '../ports/text-merge.ts'
import { splitLines, toBinaryText } from './patch-file.ts'

const contextLines = 3
const lineFeed = 10

/** Lines of the old text and the lines that replace them. Zero-based, from where the texts begin to differ. */
interface Change {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
}

/** The part between the equal beginnings and equal ends of two texts, with its lines of context. */
interface Difference {
  /** Lines before `lead`. */
  readonly skipped: number
  readonly lead: readonly string[]
  readonly old: readonly string[]
  readonly fresh: readonly string[]
  readonly tail: readonly string[]
}

/**
 * The hunks of a text as a patch contains them. Equal beginnings and ends stay bytes, so that a small change of a large
 * file is cheap. Only the part between is split into lines, and compared if it is more than one change.
 */
export async function lineHunks(
  before: Uint8Array,
  after: Uint8Array,
  textMerge: TextMerge,
): Promise<readonly string[]> {
  const difference = differenceOf(before, after)
  const groups = groupsOf(await changesIn(difference, textMerge))
  return groups.flatMap((changes) => hunk(difference, changes))
}

async function changesIn({ old, fresh }: Difference, textMerge: TextMerge): Promise<readonly Change[]> {
  const whole = { oldStart: 0, oldLines: old.length, newStart: 0, newLines: fresh.length }
  if (old.length === 0 || fresh.length === 0 || old.length + fresh.length === 2) return [whole]
  const { hunks } = await textMerge.hunks(old.join(''), fresh.join(''), 0)
  /** For an empty side the port gives the number of the line before it. */
  return hunks.map(({ oldStart, oldLines, newStart, newLines }) => ({
    oldStart: oldLines === 0 ? oldStart : oldStart - 1,
    oldLines,
    newStart: newLines === 0 ? newStart : newStart - 1,
    newLines,
  }))
}

/** Groups changes into hunks. Changes whose context would touch share a hunk. */
function groupsOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const change of changes) {
    if (change.oldStart - end <= 2 * contextLines) groups.at(-1)?.push(change)
    else groups.push([change])
    end = change.oldStart + change.oldLines
  }
  return groups
}

function hunk({ skipped, lead, old, fresh, tail }: Difference, changes: readonly Change[]): readonly string[] {
  const shared = [...lead, ...old, ...tail]
  const [first, last] = [changes[0], changes.at(-1)]
  if (!first || !last) return []
  const start = Math.max(0, lead.length + first.oldStart - contextLines)
  const end = Math.min(shared.length, lead.length + last.oldStart + last.oldLines + contextLines)
  const lines: string[] = []
  let at = start
  for (const { oldStart, oldLines, newStart, newLines } of changes) {
    const from = lead.length + oldStart
    lines.push(...shared.slice(at, from).flatMap(prefixWith(' ')))
    lines.push(...shared.slice(from, from + oldLines).flatMap(prefixWith('-')))
    lines.push(...fresh.slice(newStart, newStart + newLines).flatMap(prefixWith('+')))
    at = from + oldLines
  }
  lines.push(...shared.slice(at, end).flatMap(prefixWith(' ')))
  const added = changes.reduce((sum, { oldLines, newLines }) => sum + newLines - oldLines, 0)
  const moved = first.newStart - first.oldStart
  return [
    `@@ -${range(skipped + start, end - start)} +${range(skipped + start + moved, end - start + added)} @@`,
    ...lines,
  ]
}

function prefixWith(sign: string): (line: string) => readonly string[] {
  return (line) =>
    line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, '\\ No newline at end of file']
}

/** `start` is zero-based. An empty range has the number of the line before it. */
function range(start: number, count: number): string {
  const first = count === 0 ? start : start + 1
  return count === 1 ? `${first}` : `${first},${count}`
}

function differenceOf(before: Uint8Array, after: Uint8Array): Difference {
  const start = commonStart(before, after)
  const end = commonEnd(before, after, start)
  const leadStart = linesBack(before, start)
  const oldEnd = before.length - end
  const text = (bytes: Uint8Array, from: number, to: number) => splitLines(toBinaryText(bytes.subarray(from, to)))
  return {
    skipped: linesWithin(before, leadStart),
    lead: text(before, leadStart, start),
    old: text(before, start, oldEnd),
    fresh: text(after, start, after.length - end),
    tail: text(before, oldEnd, linesForward(before, oldEnd)),
  }
}

/** Number of equal bytes at the start, up to the start of a line. */
function commonStart(before: Uint8Array, after: Uint8Array): number {
  const most = Math.min(before.length, after.length)
  let count = 0
  while (count < most && before[count] === after[count]) count += 1
  return lineStart(before, count)
}

/** Number of equal bytes at the end, from the start of a line. */
function commonEnd(before: Uint8Array, after: Uint8Array, start: number): number {
  const most = Math.min(before.length, after.length) - start
  let count = 0
  while (count < most && before[before.length - 1 - count] === after[after.length - 1 - count]) count += 1
  if (startsLine(before, before.length - count, start) && startsLine(after, after.length - count, start)) return count
  const next = before.indexOf(lineFeed, before.length - count)
  return next < 0 ? 0 : before.length - next - 1
}

function startsLine(bytes: Uint8Array, at: number, start: number): boolean {
  return at === start || bytes[at - 1] === lineFeed
}

function linesBack(bytes: Uint8Array, from: number): number {
  let at = from
  for (let line = 0; line < contextLines && at > 0; line += 1) at = lineStart(bytes, at - 1)
  return at
}

/** The start of the line that contains the byte at `at`. Right after a line end, `at` itself. */
function lineStart(bytes: Uint8Array, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(lineFeed, at - 1) + 1
}

function linesForward(bytes: Uint8Array, from: number): number {
  let at = from
  for (let line = 0; line < contextLines && at < bytes.length; line += 1) {
    const end = bytes.indexOf(lineFeed, at)
    at = end < 0 ? bytes.length : end + 1
  }
  return at
}

function linesWithin(bytes: Uint8Array, end: number): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at >= 0 && at < end; at = bytes.indexOf(lineFeed, at + 1)) count += 1
  return count
}
