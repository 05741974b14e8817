import { type JudgedAttempt, rankAttempts } from '#shared/model/calls/attempts.ts'

/**
 * Successive halving over evidence, for a budget that may not carry all attempts to their end. In each round a third of what is
 * left of it is shared equally among the unfinished attempts. Then the worse half of them stops. The last one gets all the rest.
 */

/** With a half in place of a third, the best of five often had too little left for its own end. */
const roundParts = 3

/**
 * US dollars that each unfinished attempt may spend in the next round, beyond what it has spent. Null when it may go on to
 * its end: there is no budget, or nobody is left to compare it with.
 */
export function roundShare(left: number | null, unfinished: number): number | null {
  if (left === null || unfinished <= 1) return null
  return Math.max(0, left) / (roundParts * unfinished)
}

/**
 * Which of the unfinished attempts stop after a round. None while nobody has changed anything, because all are equal then,
 * and none without checks, because nothing says who fell behind.
 */
export function fallenBehind(unfinished: readonly JudgedAttempt[]): readonly JudgedAttempt[] {
  if (unfinished.every(({ verdict }) => verdict === 'no change')) return []
  if (unfinished.every(({ checks }) => checks.length === 0)) return []
  return rankAttempts(unfinished).slice(Math.ceil(unfinished.length / 2))
}

/** Why one was stopped, as a sentence for a person. */
export function behindReason(attempt: JudgedAttempt, unfinished: readonly JudgedAttempt[]): string {
  const [best] = rankAttempts(unfinished)
  const lead =
    best && best.index !== attempt.index ? ` The best of the ${unfinished.length} then: ${stateOf(best)}.` : ''
  return `Stopped early, because the budget does not carry all attempts to their end and this one was behind: ${stateOf(attempt)}.${lead}`
}

function stateOf({ verdict, checks }: JudgedAttempt): string {
  if (verdict === 'no change' || verdict === 'none') return verdict === 'none' ? 'not checked' : 'nothing changed'
  const count = (wanted: string) => checks.filter(({ outcome }) => outcome === wanted).length
  const parts = (['red', 'flaky', 'green'] as const).flatMap((one) => (count(one) > 0 ? [`${count(one)} ${one}`] : []))
  return parts.join(', ')
}
