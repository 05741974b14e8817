import { diff3Merge } from 'node-diff3'

/** A part of a file in conflict: merged lines, or two versions that a person must choose from. */
export type ConflictPart = { readonly kind: 'settled'; readonly lines: readonly string[] } | OpenPart

export interface OpenPart {
  readonly kind: 'open'
  readonly base: readonly string[]
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
}

/** What a part takes. `both` puts the current lines first, `both_reversed` the incoming ones. */
export type Side = 'ours' | 'theirs' | 'both' | 'both_reversed'

/**
 * With more lines than this between the common start and the common end, everything between is one conflict. Comparing
 * more would block the page.
 */
const comparedAtMost = 1000

/** Splits a file into parts: those that a three-way merge can join, and the conflicts that remain. */
export function conflictParts(base: string, ours: string, theirs: string): readonly ConflictPart[] {
  const texts = [ours, base, theirs].map((text) => text.split('\n')) as Sides
  const start = sameLines(texts, (lines, place) => lines[place], 0)
  const end = sameLines(texts, (lines, place) => lines[lines.length - 1 - place], start)
  const [current, before, incoming] = texts.map((lines) => lines.slice(start, lines.length - end)) as Sides
  const settledPart = (lines: readonly string[]): readonly ConflictPart[] =>
    lines.length > 0 ? [{ kind: 'settled', lines }] : []
  return [
    ...settledPart(texts[0].slice(0, start)),
    ...mergeLines(current, before, incoming),
    ...settledPart(texts[0].slice(texts[0].length - end)),
  ]
}

type Sides = [string[], string[], string[]]

/**
 * Counts the lines that are equal in all three texts before the first difference, in the order of `lineAt`. At most
 * the shortest text's length less `taken`.
 */
function sameLines(
  [first, ...others]: Sides,
  lineAt: (lines: readonly string[], place: number) => string | undefined,
  taken: number,
): number {
  const most = Math.min(first.length, ...others.map(({ length }) => length)) - taken
  let count = 0
  while (count < most && others.every((lines) => lineAt(lines, count) === lineAt(first, count))) count += 1
  return count
}

function mergeLines(current: string[], before: string[], incoming: string[]): readonly ConflictPart[] {
  if (Math.max(current.length, before.length, incoming.length) > comparedAtMost) {
    return [{ kind: 'open', base: before, ours: current, theirs: incoming }]
  }
  return diff3Merge(current, before, incoming, { excludeFalseConflicts: true }).map((region) =>
    region.conflict
      ? { kind: 'open', base: region.conflict.o, ours: region.conflict.a, theirs: region.conflict.b }
      : { kind: 'settled', lines: region.ok ?? [] },
  )
}

/** The text that results from the choices: one for each open part, in order. A part without one keeps the base. */
export function joinParts(parts: readonly ConflictPart[], choices: readonly (Side | null)[]): string {
  let open = 0
  return parts
    .flatMap((part) => (part.kind === 'settled' ? part.lines : linesFor(part, choices[open++] ?? null)))
    .join('\n')
}

/** The lines that an open part has in the result. */
export function linesFor(part: OpenPart, side: Side | null): readonly string[] {
  switch (side) {
    case null:
      return part.base
    case 'both':
      return [...part.ours, ...part.theirs]
    case 'both_reversed':
      return [...part.theirs, ...part.ours]
    default:
      return part[side]
  }
}
