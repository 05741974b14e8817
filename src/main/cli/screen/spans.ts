import stringWidth from 'string-width'
import { escapeControls } from '#shared/text/control-characters.ts'

/** How a part of a line looks: by meaning, or the number of an agent's colour, from 1. */
export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'bad' | 'warn' | 'accent' | number

/** A part of a line in one tone. Its text may come from anywhere: it is made harmless when it is laid out. */
export interface Span {
  readonly text: string
  readonly tone?: Tone
}

export type Line = readonly Span[]

/** A line in one tone. */
export function lineOf(text: string, tone: Tone = 'plain'): Line {
  return [{ text, tone }]
}

/** The columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  return stringWidth(text)
}

/** The columns that a laid out line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0)
}

/** The text of a line without its tones. */
export function plainText(line: Line): string {
  return line.map(({ text }) => text).join('')
}

/** Makes a text harmless: no control character is left, tabs are spaces, and line breaks are marks. */
export function harmless(text: string): string {
  return escapeControls(text).replaceAll('\t', '  ').replaceAll('\n', '⏎')
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** One character as a terminal shows it, with the tone of its span. */
interface Cell {
  readonly text: string
  readonly width: number
  readonly tone: Tone
}

function cellsOf(line: Line): readonly Cell[] {
  return line.flatMap(({ text, tone = 'plain' }) =>
    [...graphemes.segment(harmless(text))].map(({ segment }) => ({ text: segment, width: widthOf(segment), tone })),
  )
}

function spansOf(cells: readonly Cell[]): Line {
  const spans: { text: string; tone: Tone }[] = []
  for (const { text, tone } of cells) {
    const last = spans.at(-1)
    if (last?.tone === tone) last.text += text
    else spans.push({ text, tone })
  }
  return spans
}

/** The line as far as it fits, with a mark where it was cut. */
export function cutLine(line: Line, columns: number): Line {
  const cells = cellsOf(line)
  if (sum(cells) <= columns) return spansOf(cells)
  const kept: Cell[] = []
  let used = 1
  for (const cell of cells) {
    if (used + cell.width > columns) break
    kept.push(cell)
    used += cell.width
  }
  return spansOf([...kept, { text: '…', width: 1, tone: kept.at(-1)?.tone ?? 'plain' }])
}

/** Breaks a line into lines of at most `columns`, between words where it can. */
export function wrapLine(line: Line, columns: number): readonly Line[] {
  const room = Math.max(columns, 1)
  const rows: Cell[][] = [[]]
  const lastRow = (): Cell[] => rows.at(-1) ?? []
  for (const word of wordsOf(cellsOf(line))) {
    if (lastRow().length > 0 && sum(lastRow()) + sum(trimEnd(word)) > room) rows.push([])
    for (const cell of word) {
      const isFull = sum(lastRow()) + cell.width > room && lastRow().length > 0
      // Spaces at the end of a row go, and so do those at the beginning of the next.
      if (cell.text === ' ' && (isFull || (lastRow().length === 0 && rows.length > 1))) continue
      if (isFull) rows.push([])
      lastRow().push(cell)
    }
  }
  return rows.map((row) => spansOf(trimEnd(row)))
}

/** Words with the spaces after them. */
function wordsOf(cells: readonly Cell[]): readonly (readonly Cell[])[] {
  const words: Cell[][] = []
  let isOpen = false
  for (const cell of cells) {
    const last = words.at(-1)
    if (last && (isOpen || cell.text === ' ')) last.push(cell)
    else words.push([cell])
    isOpen = cell.text !== ' '
  }
  return words
}

function trimEnd(cells: readonly Cell[]): readonly Cell[] {
  const last = cells.findLastIndex(({ text }) => text !== ' ')
  return cells.slice(0, last + 1)
}

function sum(cells: readonly Cell[]): number {
  return cells.reduce((width, cell) => width + cell.width, 0)
}
