import { harmless, type Line, type Span, type Tone } from './spans.ts'

/** Colours of agents among the 256 of a terminal, in the order of the window's. */
const agentColours = [75, 215, 114, 176, 80, 210, 149, 141, 180, 111, 204, 73] as const
/** The same among 16. */
const plainColours = [94, 33, 32, 35, 36, 91, 96, 95, 93, 92, 34, 31] as const

const meanings: Readonly<Record<Exclude<Tone, number>, readonly number[]>> = {
  plain: [],
  dim: [2],
  strong: [1],
  good: [32],
  bad: [31],
  warn: [33],
  accent: [36],
}

/** Turns lines into what a terminal understands. Every text goes through here, so nothing in it is obeyed. */
export function createPaint(colourDepth: number): (line: Line) => string {
  return (line) => line.map((span) => paintSpan(span, colourDepth)).join('')
}

function paintSpan({ text, tone = 'plain' }: Span, depth: number): string {
  const shown = harmless(text)
  const codes = depth < 4 || shown === '' ? [] : codesOf(tone, depth)
  return codes.length === 0 ? shown : `\u001b[${codes.join(';')}m${shown}\u001b[0m`
}

function codesOf(tone: Tone, depth: number): readonly number[] {
  if (typeof tone !== 'number') return meanings[tone]
  const index = (tone - 1) % agentColours.length
  return depth >= 8 ? [38, 5, agentColours[index] ?? 0] : [plainColours[index] ?? 0]
}
