import type { DiffRow, DiffRows } from './diff-rows.ts'
import type { NumberedLine } from './hunk-lines.ts'

/** Lines of one side of a diff, counted from 1. Both ends belong to the range. */
export interface LineRange {
  readonly side: 'old' | 'new'
  readonly from: number
  readonly to: number
}

/** The range of one line: on the new side, or on the old side if the change removed it. Null for a note. */
export function rangeOf(line: NumberedLine): LineRange | null {
  if (line.new !== null) return { side: 'new', from: line.new, to: line.new }
  return line.old === null ? null : { side: 'old', from: line.old, to: line.old }
}

/** Whether a line lies in a range. */
export function isIn(line: NumberedLine, { side, from, to }: LineRange): boolean {
  const number = line[side]
  return number !== null && number >= from && number <= to
}

/** The smallest range that holds both. A range on another side replaces the first. */
export function extendRange(range: LineRange | null, by: LineRange): LineRange {
  if (range?.side !== by.side) return by
  return { side: by.side, from: Math.min(range.from, by.from), to: Math.max(range.to, by.to) }
}

/** The added lines of a hunk; the removed ones if nothing was added. Null if nothing changed. */
export function changedRange(lines: readonly NumberedLine[]): LineRange | null {
  const changed = lines.filter(({ kind }) => kind === 'added' || kind === 'removed')
  const now = changed.filter(({ kind }) => kind === 'added')
  const ranges = (now.length > 0 ? now : changed).flatMap((line) => rangeOf(line) ?? [])
  return ranges.reduce<LineRange | null>(extendRange, null)
}

/** The lines of a row. A context line on both sides counts once. */
export function linesOf(row: DiffRow): readonly NumberedLine[] {
  if (row.kind === 'line') return [row.line]
  if (row.kind !== 'pair') return []
  const [left, right] = row.pair
  return [left?.kind === 'context' ? null : left, right].filter((line) => line !== null)
}

/** The index of the row where a range ends; -1 if that line is not shown. */
export function rowOfEnd(rows: DiffRows, { side, to }: LineRange): number {
  for (let index = 0; index < rows.count; index++) {
    if (linesOf(rows.at(index)).some((line) => line[side] === to)) return index
  }
  return -1
}

/** The text of a range's lines. Hidden lines are left out. */
export function quoteOf(rows: DiffRows, range: LineRange): readonly string[] {
  const quote: string[] = []
  for (let index = 0; index < rows.count; index++) {
    for (const line of linesOf(rows.at(index))) if (isIn(line, range)) quote.push(line.text)
  }
  return quote
}
