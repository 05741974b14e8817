import type { Options } from './options.ts'
import type { Part } from './part.ts'
import type { Absent } from './report.ts'
import { shownTime } from './report.ts'
import type { ChunkRunner } from './run-chunk.ts'
import { nextChunk, nextPart, secondsToGo } from './schedule.ts'
import { addChunk, newState, readState, type SoakState, stateOf, writeState } from './state.ts'

/** After so many failed chunks in a row a part gets no more time in this call. */
const mostInARow = 5

export interface SoakWorld {
  readonly runner: Pick<ChunkRunner, 'run'>
  readonly absent: Absent
  readonly commit: string
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds that only grow. */
  elapsed(): number
  /** True once a person asked to stop. */
  isStopped(): boolean
  say(line: string): void
}

/** Opens the state file, or begins a state. Throws when the file was begun with another seed. */
export function openState({ stateFile, seed }: Options, now: number): SoakState {
  const stored = readState(stateFile)
  if (!stored) return newState(seed ?? Math.floor(Math.random() * 2 ** 31), new Date(now).toISOString())
  if (seed !== null && seed !== stored.seed)
    throw new Error(`${stateFile} was begun with seed ${stored.seed}. Give this seed, or another --state.`)
  return stored
}

/** Runs chunks until the time is over, everything is done, or a person stops it. `code` is 1 if a chunk of this call failed. */
export async function soak(options: Options, parts: readonly Part[], world: SoakWorld) {
  const chosen = parts.filter(({ name }) => (options.only?.includes(name) ?? true) && !world.absent.has(name))
  const end = world.elapsed() + options.timeMs
  const badInARow = new Map<string, number>()
  let state = openState(options, world.now())
  let failures = 0
  for (let isFirst = true; !world.isStopped(); isFirst = false) {
    const secondsLeft = (end - world.elapsed()) / 1000
    const trusted = chosen.filter(({ name }) => (badInARow.get(name) ?? 0) < mostInARow)
    const part = secondsLeft > 0 ? nextPart(state, trusted, { secondsLeft, isFirst }) : null
    if (!part) break
    const chunk = nextChunk(state, part, secondsLeft)
    const result = await world.runner.run(part, chunk)
    // A chunk that a person ended is no failure, and its seed comes again.
    if (world.isStopped() && result.failure && !result.ran) break
    const at = new Date(world.now()).toISOString()
    state = addChunk(state, part, chunk.size, result, { at, commit: world.commit })
    writeState(options.stateFile, state)
    badInARow.set(part.name, result.failure ? (badInARow.get(part.name) ?? 0) + 1 : 0)
    if (result.failure) failures += 1
    world.say(progressLine(state, part, result.seconds, chunk))
    if (result.failure)
      world.say(`  FAILED with seed ${chunk.seed}: ${result.failure.what}\n  ${result.failure.replay}`)
    if (badInARow.get(part.name) === mostInARow)
      world.say(`${part.name}: ${mostInARow} chunks failed in a row; it gets no more time in this call.`)
  }
  return { state, code: failures > 0 ? 1 : 0 }
}

function progressLine(
  state: SoakState,
  part: Part,
  seconds: number,
  { size, seed }: { readonly size: number; readonly seed: number },
): string {
  const { done } = stateOf(state, part)
  const [shown, goal] = [done, part.goal].map((count) => count.toLocaleString('en'))
  const rate = (size / seconds).toLocaleString('en', { maximumFractionDigits: 1 })
  const left = done >= part.goal ? 'done' : `${shownTime(secondsToGo(state, part))} to go`
  return `${part.name}: ${shown} of ${goal} ${part.unit}, seed ${seed}, ${rate} a second, ${left}`
}
