import { plural } from '#shared/text/plural.ts'
import { type Line, lineOf, wrapLine } from '../screen/spans.ts'
import type { Card } from './card.ts'

/** Rows of an output that are shown before a person asks for all of it. The end says how a command went. */
const mostOutput = 12
/** Rows of a change that are shown at first, however high the screen is. */
const mostChange = 40
/** A part is never cut below so many rows, even where the screen is too low for them. */
const fewest = 3

/** A card as it is printed. */
export interface FittedCard {
  readonly lines: readonly Line[]
  /** Whether something of it is left out. */
  readonly isCut: boolean
}

/** The whole card, however long. */
export function wholeCard({ header, change, output, notes }: Card): FittedCard {
  return { lines: [...header, ...indented(change.lines), ...output, ...notes], isCut: false }
}

/**
 * The card in at most so many rows, so that its header stands on the screen together with the question. The change is cut,
 * and the beginning of the output. Of several files it then shows one line each.
 */
export function fitCard(card: Card, columns: number, rows: number): FittedCard {
  const { header, change, output, notes } = card
  const rowsOf = (lines: readonly Line[]): number =>
    lines.reduce((sum, line) => sum + wrapLine(line, columns).length, 0)
  const whole = indented(change.lines)
  const room = Math.max(rows - rowsOf(header) - rowsOf(notes), 2 * fewest)
  const forOutput = Math.min(rowsOf(output), mostOutput, Math.max(fewest, room - rowsOf(whole), Math.floor(room / 3)))
  const forChange = Math.min(mostChange, Math.max(fewest, room - forOutput))
  const fits = rowsOf(whole) <= forChange
  const shownChange = fits ? whole : cutEnd(change.files.length > 1 ? indented(change.files) : whole, forChange, rowsOf)
  const shownOutput = cutStart(output, forOutput, rowsOf)
  const left = fits ? 0 : whole.length - (change.files.length > 1 ? 0 : shownChange.length)
  return {
    lines: [
      ...header,
      ...shownChange,
      ...(left > 0 ? [lineOf(`  ${plural(left, 'line', 'lines')} of the change: v shows all`, 'dim')] : []),
      ...(shownOutput.length < output.length
        ? [
            lineOf(
              `  ${plural(output.length - shownOutput.length, 'earlier line', 'earlier lines')}: v shows all`,
              'dim',
            ),
          ]
        : []),
      ...shownOutput,
      ...notes,
    ],
    isCut: left > 0 || shownOutput.length < output.length,
  }
}

type Measure = (lines: readonly Line[]) => number

/** The first lines that fit, with a row left for the note about the others. */
function cutEnd(lines: readonly Line[], rows: number, rowsOf: Measure): readonly Line[] {
  let count = 0
  while (count < lines.length && rowsOf(lines.slice(0, count + 1)) < rows) count++
  return lines.slice(0, count)
}

/** The last lines that fit, with a row left for the note about the others. */
function cutStart(lines: readonly Line[], rows: number, rowsOf: Measure): readonly Line[] {
  if (rowsOf(lines) <= rows) return lines
  let count = 0
  while (count < lines.length && rowsOf(lines.slice(lines.length - count - 1)) < rows) count++
  return lines.slice(lines.length - count)
}

function indented(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) => [{ text: '  ' }, ...line])
}
