import { splitBlocks } from '../../parts/markdown/blocks.ts'

/** A part of a plan that is drawn and commented on by itself. */
export interface PlanPiece {
  readonly text: string
  /** Its first and its last line in the plan, counted from 1. */
  readonly from: number
  readonly to: number
}

/** A plan of more pieces than this is not cut at the items of its lists, because each piece costs time to draw. */
const mostPieces = 300

const item = /^(?:[-*+]|\d{1,9}[.)])[ \t]/

/** A plan as its paragraphs, fences, tables and single items of lists, in order. Empty lines belong to none of them. */
export function planPieces(plan: string): readonly PlanPiece[] {
  const { blocks } = splitBlocks(plan, null)
  let [line, read] = [1, 0]
  const whole = blocks.map(({ kind, at }, index) => {
    line += countLines(plan.slice(read, at))
    read = at
    const text = plan.slice(at, blocks[index + 1]?.at ?? plan.length).trimEnd()
    return { kind, piece: { text, from: line, to: line + countLines(text) } }
  })
  const pieces = whole.flatMap(({ kind, piece }) => (kind === 'code' ? [piece] : itemsOf(piece)))
  return pieces.length > mostPieces ? whole.map(({ piece }) => piece) : pieces
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}

/** Cuts a piece before each item of a list at the margin. */
function itemsOf({ text, from }: PlanPiece): readonly PlanPiece[] {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (index === 0 || item.test(line) ? [index] : []))
  return starts.flatMap((start, index) => {
    const part = lines.slice(start, starts[index + 1] ?? lines.length)
    while (part.length > 0 && part.at(-1)?.trim() === '') part.pop()
    return part.length === 0 ? [] : [{ text: part.join('\n'), from: from + start, to: from + start + part.length - 1 }]
  })
}
