import type { MouseEvent, ReactNode } from 'react'
import type { DiffRow, DiffRows } from './diff-rows.ts'
import type { NumberedLine } from './hunk-lines.ts'
import { extendRange, type LineRange, linesOf } from './line-range.ts'

/** Lines of a diff as they are shown. */
export type Quote = (range: LineRange) => readonly string[]

/** How comments on the lines of a diff are begun and where they stand. */
export interface DiffComments {
  readonly word: string
  readonly hunkLabel: (place: number) => string
  /** Below which line the form stands; null while nothing is written. */
  readonly at: LineRange | null
  /** The lines that it means. */
  readonly range: LineRange | null
  readonly onChoose: (range: LineRange) => void
  readonly form: (quote: Quote) => ReactNode
  /** What was said of the lines that end with this one; null for nothing. */
  readonly below: (line: NumberedLine) => ReactNode
}

interface BelowRowProps {
  readonly row: DiffRow
  readonly comments: DiffComments
  /** The form, where this is its row. */
  readonly form: ReactNode
}

/** Comments below a row, as wide as what is seen of the diff. */
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

/** A click on a line's number chooses it; with Shift, all lines up to it. */
export function chooseLine(event: MouseEvent, { range, onChoose }: DiffComments): void {
  const number = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-line]') : null
  const line = Number(number?.dataset.line)
  if (!number || !(line > 0)) return
  const chosen = { side: number.dataset.side === 'old' ? 'old' : 'new', from: line, to: line } as const
  onChoose(event.shiftKey ? extendRange(range, chosen) : chosen)
}

/** The lines of one hunk, to be commented on as a whole. */
export function linesOfHunk(rows: DiffRows, hunk: number): readonly NumberedLine[] {
  const [start, end] = [rows.hunks[hunk] ?? rows.count, rows.hunks[hunk + 1] ?? rows.count]
  return Array.from({ length: Math.max(end - start - 1, 0) }, (_, index) => linesOf(rows.at(start + 1 + index))).flat()
}
