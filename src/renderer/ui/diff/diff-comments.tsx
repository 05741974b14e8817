import type { MouseEvent, ReactNode } from 'react'
import type { DiffRow, DiffRows } from './diff-rows.ts'
import type { NumberedLine } from './hunk-lines.ts'
import { extendRange, type LineRange, linesOf } from './line-range.ts'

/** Returns the visible lines of a range as text. */
export type Quote = (range: LineRange) => readonly string[]

/** Lets a person comment on the lines of a diff, and places the comments. */
export interface DiffComments {
  readonly word: string
  readonly hunkLabel: (place: number) => string
  /** The form is below the end of this range; null while no comment is being written. */
  readonly at: LineRange | null
  /** The lines the comment is about. */
  readonly range: LineRange | null
  readonly onChoose: (range: LineRange) => void
  readonly form: (quote: Quote) => ReactNode
  /** The comments on ranges that end with this line; null for none. */
  readonly below: (line: NumberedLine) => ReactNode
}

interface BelowRowProps {
  readonly row: DiffRow
  readonly comments: DiffComments
  /** The form, if it belongs below this row. */
  readonly form: ReactNode
}

/** The comments below a row, as wide as the visible part of the diff. */
export function BelowRow({ row, comments, form }: BelowRowProps): ReactNode {
  const said = linesOf(row).flatMap((line) => comments.below(line) ?? [])
  if (said.length === 0 && !form) return null
  return (
    <div className="sticky left-0 w-[100cqw] font-sans">
      {said}
      {form}
    </div>
  )
}

/** A click on a line number chooses that line. With Shift it extends the range to it. */
export function chooseLine(event: MouseEvent, { range, onChoose }: DiffComments): void {
  const number = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-line]') : null
  const line = Number(number?.dataset.line)
  if (!number || !(line > 0)) return
  const chosen = { side: number.dataset.side === 'old' ? 'old' : 'new', from: line, to: line } as const
  onChoose(event.shiftKey ? extendRange(range, chosen) : chosen)
}

/** All lines of one hunk, for a comment on all of it. */
export function linesOfHunk(rows: DiffRows, hunk: number): readonly NumberedLine[] {
  const [start, end] = [rows.hunks[hunk] ?? rows.count, rows.hunks[hunk + 1] ?? rows.count]
  return Array.from({ length: Math.max(end - start - 1, 0) }, (_, index) => linesOf(rows.at(start + 1 + index))).flat()
}
