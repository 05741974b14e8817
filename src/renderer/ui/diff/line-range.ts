import type { DiffRow, DiffRows } from './diff-rows.ts'
import type { NumberedLine } from './hunk-lines.ts'

/** Lines of one side of a diff, both ends among them; as the file counts them, from 1. */
export interface LineRange {
  readonly side: 'old' | 'new'
  readonly from: number
  readonly to: number
}

/** What is said of a line is said of the file after the change, unless the change took the line away. */
export function rangeOf(line: NumberedLine): LineRange | null {
  if (line.new !== null) return { side: 'new', from: line.new, to: line.new }
  return line.old === null ? null : { side: 'old', from: line.old, to: line.old }
}

export function isIn(line: NumberedLine, { side, from, to }: LineRange): boolean {
  const number = line[side]
  return number !== null && number >= from && number <= to
}

/** Both ranges and what lies between them; another side starts anew. */
export function extendRange(range: LineRange | null, by: LineRange): LineRange {
  if (range?.side !== by.side) return by
  return { side: by.side, from: Math.min(range.from, by.from), to: Math.max(range.to, by.to) }
}

/** The changed lines of a hunk, as they are now; as they were, where all of them were taken away. */
export function changedRange(lines: readonly NumberedLine[]): LineRange | null {
  const changed = lines.filter(({ kind }) => kind === 'added' || kind === 'removed')
  const now = changed.filter(({ kind }) => kind === 'added')
  const ranges = (now.length > 0 ? now : changed).flatMap((line) => rangeOf(line) ?? [])
  return ranges.reduce<LineRange | null>(extendRange, null)
}

/** The lines of a row; a context line that stands on both sides is one. */
export function linesOf(row: DiffRow): readonly NumberedLine[] {
  if (row.kind === 'line') return [row.line]
  if (row.kind !== 'pair') return []
  const [left, right] = row.pair
  return [left?.kind === 'context' ? null : left, right].filter((line) => line !== null)
}

/** The row that a range ends in; -1 where it is not shown. */
export function rowOfEnd(rows: DiffRows, { side, to }: LineRange): number {
  for (let index = 0; index < rows.count; index++) {
    if (linesOf(rows.at(index)).some((line) => line[side] === to)) return index
  }
  return -1
}

/** The text of the lines that are shown of a range. */
export function quoteOf(rows: DiffRows, range: LineRange): readonly string[] {
  const quote: string[] = []
  for (let index = 0; index < rows.count; index++) {
    for (const line of linesOf(rows.at(index))) if (isIn(line, range)) quote.push(line.text)
  }
  return quote
}
