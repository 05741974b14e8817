import type { JudgedAttempt } from '#shared/model/calls/attempts.ts'
import { behindReason, fallenBehind, roundShare } from './halving.ts'

/** What a race of attempts needs of the world. Attempts are named by their index. */
export interface Racers {
  /** Those that can still go on, in the order of the forks. */
  unfinished(): readonly number[]
  /** US dollars that are left for all together. Null for no budget. */
  left(): number | null
  /** True when something says how good an unfinished attempt is. */
  readonly hasChecks: boolean
  /** Lets them go on at once until each has spent so much more, or to their ends for null. Resolves when none goes on. */
  advance(indexes: readonly number[], share: number | null): Promise<void>
  judge(indexes: readonly number[]): Promise<readonly JudgedAttempt[]>
  /** Ends them for good, each with the reason. What they changed stays on their branches. */
  stop(behind: readonly { readonly attempt: JudgedAttempt; readonly why: string }[]): Promise<void>
}

/**
 * Runs attempts at once. With a budget and checks they go on in rounds, and after each round the worse half stops. Without a budget,
 * or without checks to compare them by, all run to their ends.
 */
export async function runRace(racers: Racers, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const running = racers.unfinished()
    if (running.length === 0) return
    const left = racers.hasChecks ? racers.left() : null
    // With nothing left, the budget itself ends them at their next request.
    const share = left !== null && left <= 0 ? null : roundShare(left, running.length)
    await racers.advance(running, share)
    signal.throwIfAborted()
    const still = racers.unfinished()
    if (still.length < 2) continue
    const judged = await racers.judge(still)
    const behind = fallenBehind(judged)
    if (behind.length > 0) await racers.stop(behind.map((attempt) => ({ attempt, why: behindReason(attempt, judged) })))
  }
}
