import type { DiffHunk } from '#shared/contract/views/files.ts'
import type { NumberedLine } from './hunk-lines.ts'

/** Where a moved line is on the other side. */
export interface Moved {
  /** Its number there. */
  readonly line: number
  /** True for the first line of the block, which names the place. */
  readonly first: boolean
  /** The file that it is in; absent for the same file. */
  readonly path?: string
}

/** Null for a line that was not moved. */
export type MovedLines = (line: NumberedLine) => Moved | null

/** Shorter blocks are often equal by chance, such as closing brackets. */
const least = { lines: 3, characters: 30 }
/** In a longer comparison the search would take too long. */
const mostLines = 20_000
/** How many equal lines are tried as the other end of a block. */
const mostTries = 12

interface ChangedLine {
  readonly number: number
  readonly text: string
}

/** Finds blocks of lines that were removed at one place of a file and added at another. Indentation does not count. */
export function movedLinesIn(hunks: readonly DiffHunk[]): MovedLines {
  const { removed, added } = changedLines(hunks)
  if (removed.length + added.length > mostLines) return () => null
  const places = placesByText(removed)
  const [old, fresh] = [new Map<number, Moved>(), new Map<number, Moved>()]
  for (let index = 0; index < added.length; ) {
    const { start, length } = longestBlock(added, index, removed, places, old)
    for (let step = 0; step < length; step++) {
      const [from, to] = [removed[start + step]?.number ?? 0, added[index + step]?.number ?? 0]
      old.set(from, { line: to, first: step === 0 })
      fresh.set(to, { line: from, first: step === 0 })
    }
    index += Math.max(length, 1)
  }
  return ({ kind, old: before, new: after }) => {
    if (kind === 'removed' && before !== null) return old.get(before) ?? null
    return kind === 'added' && after !== null ? (fresh.get(after) ?? null) : null
  }
}

function changedLines(hunks: readonly DiffHunk[]) {
  const [removed, added]: [ChangedLine[], ChangedLine[]] = [[], []]
  for (const { lines, oldStart, newStart } of hunks) {
    let [before, after] = [oldStart, newStart]
    for (const line of lines) {
      const sign = line[0]
      if (sign === '-') removed.push({ number: before, text: line.slice(1).trim() })
      if (sign === '+') added.push({ number: after, text: line.slice(1).trim() })
      if (sign === '-' || sign === ' ') before += 1
      if (sign === '+' || sign === ' ') after += 1
    }
  }
  return { removed, added }
}

function placesByText(lines: readonly ChangedLine[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (const [index, { text }] of lines.entries()) {
    if (text === '') continue
    const known = places.get(text)
    if (known) known.push(index)
    else places.set(text, [index])
  }
  return places
}

function longestBlock(
  added: readonly ChangedLine[],
  index: number,
  removed: readonly ChangedLine[],
  places: ReadonlyMap<string, readonly number[]>,
  taken: ReadonlyMap<number, Moved>,
) {
  let best = { start: 0, length: 0 }
  for (const start of places.get(added[index]?.text ?? '')?.slice(0, mostTries) ?? []) {
    let length = 0
    let characters = 0
    for (;;) {
      const [from, to] = [removed[start + length], added[index + length]]
      if (!from || !to || from.text !== to.text || taken.has(from.number)) break
      if (length > 0 && !follows(removed, start + length, added, index + length)) break
      characters += to.text.length
      length += 1
    }
    if (length > best.length && length >= least.lines && characters >= least.characters) best = { start, length }
  }
  return best
}

/** Whether both lines directly follow the lines before them. */
function follows(removed: readonly ChangedLine[], from: number, added: readonly ChangedLine[], to: number): boolean {
  const isNext = (lines: readonly ChangedLine[], index: number) =>
    lines[index]?.number === (lines[index - 1]?.number ?? 0) + 1
  return isNext(removed, from) && isNext(added, to)
}
