import type { TextDiff } from '#core/ports/text-merge.ts'
import { compareWithin } from './compare-texts.ts'
import { splitLines } from './text-lines.ts'

/** What is worked on at once: it is over in milliseconds whatever the texts hold, sooner than another thread answers. */
const mostCharacters = 32 * 1024
const longestEdit = 60
const mostPairs = 10_000

function areShort(...texts: readonly string[]): boolean {
  return texts.every((text) => text.length <= mostCharacters)
}

/** Nothing when they differ in too much to be compared at once. */
export function compareShort(before: string, after: string, context: number): TextDiff | undefined {
  return areShort(before, after) ? compareWithin({ maxEditLength: longestEdit }, before, after, context) : undefined
}

/** Joining takes as long as there are pairs of equal lines, of which texts that repeat themselves have many. */
export function isJoinedAtOnce(base: string, ours: string, theirs: string): boolean {
  if (!areShort(base, ours, theirs)) return false
  const counts = new Map<string, number>()
  for (const line of splitLines(base)) counts.set(line, (counts.get(line) ?? 0) + 1)
  const pairs = [ours, theirs].flatMap(splitLines).reduce((sum, line) => sum + (counts.get(line) ?? 0), 0)
  return pairs <= mostPairs
}
