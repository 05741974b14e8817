import { changedRange } from '#shared/base/changed-range.ts'
import { type ConflictPart, linesFor, type OpenPart, type Side } from './conflict-text.ts'

/** The place of a conflict in the result, and what a person decided about it. */
export interface ResultPart {
  /** Offsets into the text. The line break after the last line belongs to the part. */
  readonly from: number
  readonly to: number
  /** Null until a person chooses. */
  readonly choice: Side | null
  /** True if a person changed these lines since the choice. */
  readonly typed: boolean
}

/** The text that will settle a conflict. */
export interface ConflictResult {
  readonly text: string
  /** One for each open part, in order. */
  readonly parts: readonly ResultPart[]
  /** True if a person typed anywhere. */
  readonly typed: boolean
}

/** The result with nothing decided: open parts have the lines of the base. */
export function startResult(parts: readonly ConflictPart[]): ConflictResult {
  return layOut(
    parts,
    openParts(parts).map(() => null),
  )
}

export function openParts(parts: readonly ConflictPart[]): readonly OpenPart[] {
  return parts.filter((part) => part.kind === 'open')
}

/** Takes one side for each part. Everything that was typed is replaced. */
export function chooseAll(parts: readonly ConflictPart[], side: Side): ConflictResult {
  return layOut(
    parts,
    openParts(parts).map(() => side),
  )
}

/** Takes a side for one part. Text that was typed outside of it stays. */
export function choosePart(
  parts: readonly ConflictPart[],
  result: ConflictResult,
  place: number,
  side: Side,
): ConflictResult {
  if (!result.typed) {
    return layOut(
      parts,
      result.parts.map(({ choice }, at) => (at === place ? side : choice)),
    )
  }
  const [open, here] = [openParts(parts)[place], result.parts[place]]
  if (!open || !here) return result
  const lines = linesFor(open, side)
  const isLast = here.to === result.text.length
  const before = result.text.slice(0, here.from)
  const start = isLast && lines.length === 0 && before.endsWith('\n') ? here.from - 1 : here.from
  const needsBreak = isLast && lines.length > 0 && before !== '' && !before.endsWith('\n')
  const inserted = (needsBreak ? '\n' : '') + (isLast ? lines.join('\n') : lines.map((line) => `${line}\n`).join(''))
  const text = result.text.slice(0, start) + inserted + result.text.slice(here.to)
  const by = start + inserted.length - here.to
  return {
    ...result,
    text,
    parts: result.parts.map((part, at) => {
      if (at < place) return { ...part, from: Math.min(part.from, start), to: Math.min(part.to, start) }
      if (at > place) return { ...part, from: part.from + by, to: part.to + by }
      return { from: start + (needsBreak ? 1 : 0), to: start + inserted.length, choice: side, typed: false }
    }),
  }
}

/** The result after a person typed. Parts keep their place in the text. */
export function typeInto(result: ConflictResult, text: string): ConflictResult {
  if (text === result.text) return result
  const { from, oldEnd, newEnd } = changedRange(result.text, text)
  const by = newEnd - oldEnd
  return {
    text,
    typed: true,
    parts: result.parts.map((part) => {
      const inside =
        (from < part.to && oldEnd > part.from) ||
        (from === oldEnd && isWithin(part, from, part.to === result.text.length))
      if (inside) {
        return {
          ...part,
          typed: true,
          from: Math.min(part.from, from),
          to: part.to >= oldEnd ? part.to + by : newEnd,
        }
      }
      return oldEnd <= part.from ? { ...part, from: part.from + by, to: part.to + by } : part
    }),
  }
}

/** The parts that a person has chosen for or typed into. */
export function countDecided({ parts }: ConflictResult): number {
  return parts.filter(({ choice, typed }) => choice !== null || typed).length
}

/** Whether a person has decided enough for the text to be saved. */
export function canBeSaved(result: ConflictResult): boolean {
  return result.typed || (result.parts.length > 0 && countDecided(result) === result.parts.length)
}

function isWithin({ from, to }: ResultPart, at: number, isLast: boolean): boolean {
  return from === to ? at === from : at >= from && (at < to || (isLast && at === to))
}

function layOut(parts: readonly ConflictPart[], choices: readonly (Side | null)[]): ConflictResult {
  const lines: string[] = []
  const places: { first: number; end: number }[] = []
  for (const part of parts) {
    const own = part.kind === 'settled' ? part.lines : linesFor(part, choices[places.length] ?? null)
    if (part.kind === 'open') places.push({ first: lines.length, end: lines.length + own.length })
    for (const line of own) lines.push(line)
  }
  const text = lines.join('\n')
  const offsets = [0]
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length + 1)
  const offset = (line: number): number => Math.min(offsets[line] ?? 0, text.length)
  return {
    text,
    typed: false,
    parts: places.map(({ first, end }, at) => ({
      from: offset(first),
      to: offset(end),
      choice: choices[at] ?? null,
      typed: false,
    })),
  }
}
