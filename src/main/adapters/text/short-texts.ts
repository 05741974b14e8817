import type { TextDiff } from '#core/ports/text-merge.ts'
import { compareWithin } from './compare-texts.ts'
import { equalEnds, splitLines } from './text-lines.ts'

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
  const lines = splitLines(base)
  return pairsOf(lines, splitLines(ours)) + pairsOf(lines, splitLines(theirs)) <= mostPairs
}

/** Of the lines between the equal ends of both, which are all that is compared. */
function pairsOf(base: readonly string[], side: readonly string[]): number {
  const { before, behind } = equalEnds(base, side)
  const counts = new Map<string, number>()
  for (const line of base.slice(before, base.length - behind)) counts.set(line, (counts.get(line) ?? 0) + 1)
  return side.slice(before, side.length - behind).reduce((pairs, line) => pairs + (counts.get(line) ?? 0), 0)
}
