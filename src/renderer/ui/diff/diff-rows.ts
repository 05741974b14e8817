import type { DiffHunk } from '#shared/contract/views/files.ts'
import { type LinePair, type NumberedLine, type Rows, splitRows, unifiedRows } from './hunk-lines.ts'

export type DiffLayout = 'unified' | 'split'

/** One row of a diff. Gap `n` holds the unchanged lines before hunk `n`. The last gap follows the last hunk. */
export type DiffRow =
  | { readonly kind: 'hunk'; readonly index: number; readonly hunk: DiffHunk }
  /** `lines` is null until the file is loaded, because the number of lines that follow is unknown before. */
  | { readonly kind: 'gap'; readonly gap: number; readonly lines: number | null }
  | { readonly kind: 'line'; readonly line: NumberedLine }
  | { readonly kind: 'pair'; readonly pair: LinePair }

/** The rows of a diff. Each row is made when it is requested. */
export interface DiffRows extends Rows<DiffRow> {
  /** The row index of each hunk's header. */
  readonly hunks: readonly number[]
}

export interface DiffRowsOptions {
  readonly hunks: readonly DiffHunk[]
  readonly layout: DiffLayout
  /**
   * The lines of the changed file, which fill the gaps. Null until a person opens a gap, and for a file that is not
   * text.
   */
  readonly after: readonly string[] | null
  /** The gaps that a person has opened. */
  readonly opened: ReadonlySet<number>
  /**
   * Says which gaps exist. A created or deleted file has none; a comparison that was cut has none after its last
   * hunk.
   */
  readonly gaps: 'none' | 'between' | 'all'
}

const contextLines = 3

/** Lists the rows of a diff without making them, so that a diff of any length costs little. */
export function diffRows({ hunks, layout, after, opened, gaps }: DiffRowsOptions): DiffRows {
  const parts: Rows<DiffRow>[] = []
  const starts: number[] = []
  const headers: number[] = []
  let count = 0
  const add = (part: Rows<DiffRow>): void => {
    parts.push(part)
    starts.push(count)
    count += part.count
  }
  const addGap = (gap: number, lines: number | null): void => {
    if (lines === 0 || gaps === 'none') return
    const filled = after && lines !== null && opened.has(gap)
    add(filled ? gapRows(hunks, gap, lines, after, layout) : single({ kind: 'gap', gap, lines }))
  }
  for (const [index, hunk] of hunks.entries()) {
    addGap(index, start(hunk.newStart, hunk.newLines) - endOf(hunks[index - 1]))
    headers.push(count)
    add(single({ kind: 'hunk', index, hunk }))
    add(lineRows(hunk, layout))
  }
  if (gaps === 'all') addGap(hunks.length, linesLeft(hunks.at(-1), after))
  return { count, hunks: headers, at: (index) => rowIn(parts, starts, index) }
}

function single(row: DiffRow): Rows<DiffRow> {
  return { count: 1, at: () => row }
}

function lineRows(hunk: DiffHunk, layout: DiffLayout): Rows<DiffRow> {
  if (layout === 'unified') {
    const lines = unifiedRows(hunk)
    return { count: lines.count, at: (index) => ({ kind: 'line', line: lines.at(index) }) }
  }
  const pairs = splitRows(hunk)
  return { count: pairs.count, at: (index) => ({ kind: 'pair', pair: pairs.at(index) }) }
}

/** Finds the part that holds the row: the last one that starts at or before it. */
function rowIn(parts: readonly Rows<DiffRow>[], starts: readonly number[], index: number): DiffRow {
  let [low, high] = [0, parts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= index) low = middle
    else high = middle - 1
  }
  const part = parts[low]
  if (!part) throw new Error(`A diff has no row ${index}.`)
  return part.at(index - (starts[low] ?? 0))
}

/** Zero-based index of a side's first line. An empty side names the line before it. */
function start(first: number, lines: number): number {
  return lines === 0 ? first : first - 1
}

function endOf(hunk: DiffHunk | undefined): number {
  return hunk ? start(hunk.newStart, hunk.newLines) + hunk.newLines : 0
}

/**
 * The number of unchanged lines after the last hunk; null while unknown. If the hunk has less than the usual context,
 * the file ends there.
 */
function linesLeft(last: DiffHunk | undefined, after: readonly string[] | null): number | null {
  const trailing = last?.lines.slice(-contextLines) ?? []
  if (trailing.length < contextLines || trailing.some((line) => !line.startsWith(' '))) return 0
  return after ? Math.max(after.length - endOf(last), 0) : null
}

function gapRows(
  hunks: readonly DiffHunk[],
  gap: number,
  count: number,
  after: readonly string[],
  layout: DiffLayout,
): Rows<DiffRow> {
  const before = hunks[gap - 1]
  const from = endOf(before)
  const shift = before ? start(before.oldStart, before.oldLines) + before.oldLines - from : 0
  return {
    count,
    at(index) {
      const place = from + index
      const line = { kind: 'context', text: after[place] ?? '', old: place + shift + 1, new: place + 1 } as const
      return layout === 'unified' ? { kind: 'line', line } : { kind: 'pair', pair: [line, line] }
    },
  }
}

/**
 * The length of the longest line in characters, counting a tab as four. All lines scroll sideways in one box of this
 * width.
 */
export function longestLine(hunks: readonly DiffHunk[], after: readonly string[] | null): number {
  return Math.max(longestIn(hunks), longestOf(after ?? []))
}

/** A long comparison is asked about with every step of a scroll, and read once. */
const longestKnown = new WeakMap<readonly DiffHunk[], number>()

function longestIn(hunks: readonly DiffHunk[]): number {
  const longest = longestKnown.get(hunks) ?? hunks.reduce((most, { lines }) => Math.max(most, longestOf(lines) - 1), 0)
  longestKnown.set(hunks, longest)
  return longest
}

function longestOf(lines: readonly string[]): number {
  let longest = 0
  for (const line of lines) longest = Math.max(longest, widthOf(line))
  return longest
}

function widthOf(line: string): number {
  let width = line.length
  for (let at = line.indexOf('\t'); at >= 0; at = line.indexOf('\t', at + 1)) width += 3
  return width
}
