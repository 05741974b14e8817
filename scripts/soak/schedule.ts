import type { Chunk, Part } from './part.ts'
import { type SoakState, stateOf } from './state.ts'

/** A chunk this long makes the start of its programs cheap, and Ctrl-C is still answered soon. */
const chunkSeconds = 45

/**
 * The part that comes next: of those that are not done, the one that has had the least time so far. So all parts share
 * the time, also over many short calls. A part whose smallest chunk does not fit into the rest of the time is passed
 * over, except as the first of a call. Null when nothing is left to do.
 */
export function nextPart(
  state: SoakState,
  parts: readonly Part[],
  call: { readonly secondsLeft: number; readonly isFirst: boolean },
): Part | null {
  const open = parts.filter((part) => stateOf(state, part).done < part.goal)
  const byTime = open.sort((a, b) => stateOf(state, a).seconds - stateOf(state, b).seconds)
  const fitting = byTime.find((part) => secondsPerStep(state, part) <= call.secondsLeft)
  return fitting ?? (call.isFirst ? (byTime[0] ?? null) : null)
}

/** The next chunk of a part: as many steps as fit into the usual time of a chunk and the rest of the call. */
export function nextChunk(state: SoakState, part: Part, secondsLeft: number): Chunk {
  const { done, nextSeed, goal } = stateOf(state, part)
  const seconds = Math.min(chunkSeconds, secondsLeft)
  const steps = Math.max(1, Math.floor(seconds / secondsPerStep(state, part)))
  return { seed: nextSeed, from: done, size: Math.min(steps * part.step, goal - done) }
}

export function secondsPerStep(state: SoakState, part: Part): number {
  const { done, seconds } = stateOf(state, part)
  return done === 0 ? part.guessSeconds : Math.max((seconds / done) * part.step, 0.001)
}

/** The seconds that the part still needs at its speed so far. */
export function secondsToGo(state: SoakState, part: Part): number {
  const { done, goal } = stateOf(state, part)
  return ((goal - done) / part.step) * secondsPerStep(state, part)
}
