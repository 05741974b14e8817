import type { DiffHunk } from '#shared/contract/views/files.ts'
import { type NumberedLine, partnersOf } from './hunk-lines.ts'

/** A part of a line, in characters from its start. `to` is not part of it. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

interface WordChanges {
  readonly before: readonly TextRange[]
  readonly after: readonly TextRange[]
}

/** Longer lines, and lines of more words, are compared as a whole, so that no comparison takes a millisecond. */
const limits = { characters: 2000, words: 300 }
/** Two lines that share a smaller part of their characters are different lines, not changed ones. */
const leastShared = 0.35

/**
 * The words in which two versions of a line differ. Null when the lines have too little in common, or too much text, to
 * say it word by word.
 */
export function changedWords(before: string, after: string): WordChanges | null {
  if (before === after || before.length > limits.characters || after.length > limits.characters) return null
  const [old, fresh] = [wordsOf(before), wordsOf(after)]
  let start = 0
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1
  let end = 0
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1
  const middle = { old: old.slice(start, old.length - end), fresh: fresh.slice(start, fresh.length - end) }
  if (middle.old.length > limits.words || middle.fresh.length > limits.words) return null
  const kept = commonWords(middle.old, middle.fresh)
  const changes = {
    before: rangesOf(old, (index) => isChanged(index, start, old.length - end, kept.old)),
    after: rangesOf(fresh, (index) => isChanged(index, start, fresh.length - end, kept.fresh)),
  }
  return sharedPart(before, changes.before, after, changes.after) < leastShared ? null : changes
}

function isChanged(index: number, start: number, end: number, kept: ReadonlySet<number>): boolean {
  return index >= start && index < end && !kept.has(index - start)
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []
}

/** The positions of the longest common sequence in both lists. */
function commonWords(old: readonly string[], fresh: readonly string[]) {
  const width = fresh.length + 1
  const longest = new Uint16Array((old.length + 1) * width)
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = fresh.length - 1; column >= 0; column--) {
      const here = row * width + column
      longest[here] =
        old[row] === fresh[column]
          ? (longest[here + width + 1] ?? 0) + 1
          : Math.max(longest[here + width] ?? 0, longest[here + 1] ?? 0)
    }
  }
  const kept = { old: new Set<number>(), fresh: new Set<number>() }
  for (let row = 0, column = 0; row < old.length && column < fresh.length; ) {
    const here = row * width + column
    if (old[row] === fresh[column]) {
      kept.old.add(row++)
      kept.fresh.add(column++)
    } else if ((longest[here + width] ?? 0) >= (longest[here + 1] ?? 0)) row += 1
    else column += 1
  }
  return kept
}

/** Joins changed words that are next to each other, or have only white space between them. */
function rangesOf(words: readonly string[], changed: (index: number) => boolean): readonly TextRange[] {
  const ranges: TextRange[] = []
  let at = 0
  let gap = false
  for (const [index, word] of words.entries()) {
    const last = ranges.at(-1)
    if (changed(index)) {
      if (last && (last.to === at || gap)) ranges[ranges.length - 1] = { from: last.from, to: at + word.length }
      else ranges.push({ from: at, to: at + word.length })
      gap = true
    } else if (word.trim() !== '') gap = false
    at += word.length
  }
  return ranges
}

function sharedPart(before: string, old: readonly TextRange[], after: string, fresh: readonly TextRange[]): number {
  const longest = Math.max(visibleLength(before), visibleLength(after))
  const changed = Math.max(lengthOf(before, old), lengthOf(after, fresh))
  return longest === 0 ? 1 : 1 - changed / longest
}

function visibleLength(text: string): number {
  return text.replace(/\s/g, '').length
}

function lengthOf(text: string, ranges: readonly TextRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + visibleLength(text.slice(from, to)), 0)
}

/** The changed parts of a line; empty for a line that has none to show. */
export type LineWords = (line: NumberedLine) => readonly TextRange[]

const none: readonly TextRange[] = []

/** Compares changed lines word by word, each when it is first shown. */
export function wordsIn(hunks: readonly DiffHunk[]): LineWords {
  const partner = partnersOf(hunks)
  const known = new Map<string, readonly TextRange[]>()
  return (line) => {
    const other = partner(line)
    if (other === null) return none
    const key = `${line.kind} ${line.old ?? line.new}`
    const found = known.get(key)
    if (found) return found
    const isNew = line.kind === 'added'
    const changes = isNew ? changedWords(other, line.text) : changedWords(line.text, other)
    const ranges = changes?.[isNew ? 'after' : 'before'] ?? none
    known.set(key, ranges)
    return ranges
  }
}
