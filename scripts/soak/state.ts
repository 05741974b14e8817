import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { Part } from './part.ts'

/** What is done of each part. It is written after every chunk, so a killed soak loses the running chunk at most. */
const failureSchema = z.object({
  seed: z.number(),
  size: z.number(),
  at: z.string(),
  /** The commit that failed. */
  commit: z.string(),
  /** What failed, in a few lines. */
  what: z.string(),
  /** A command line that runs the chunk again. */
  replay: z.string(),
})
const partSchema = z.object({
  done: z.number(),
  goal: z.number(),
  unit: z.string(),
  chunks: z.number(),
  /** The seed of the next chunk. Chunks so far had all seeds from the state's seed up to this one. */
  nextSeed: z.number(),
  seconds: z.number(),
  failures: z.array(failureSchema),
})
const stateSchema = z.object({
  version: z.literal(1),
  seed: z.number(),
  startedAt: z.string(),
  updatedAt: z.string(),
  parts: z.record(z.string(), partSchema),
})
export type Failure = Readonly<z.infer<typeof failureSchema>>
export type PartState = Readonly<z.infer<typeof partSchema>>
export type SoakState = Readonly<z.infer<typeof stateSchema>>

export function newState(seed: number, now: string): SoakState {
  return { version: 1, seed, startedAt: now, updatedAt: now, parts: {} }
}

/** Null when there is no such file. Throws an error in words for a file that is something else. */
export function readState(file: string): SoakState | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const read = stateSchema.safeParse(parseJson(text))
  if (!read.success) throw new Error(`${file} is not the state of a soak. Remove it, or give another --state.`)
  return read.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces the file as a whole. A reader sees the old state or the new one. */
export function writeState(file: string, state: SoakState): void {
  mkdirSync(dirname(file), { recursive: true })
  const beside = `${file}.${process.pid}.tmp`
  writeFileSync(beside, `${JSON.stringify(state, null, 2)}\n`)
  renameSync(beside, file)
}

/**
 * Keeps a second soak away from the state file, which would overwrite what the first one did. Throws an error in words.
 * A lock whose process is gone does not count.
 */
export function lockState(file: string): Disposable {
  const lock = `${file}.lock`
  mkdirSync(dirname(file), { recursive: true })
  const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : Number.NaN
  if (isAlive(holder))
    throw new Error(`Process ${holder} soaks with ${file}. Wait for its end, or give another --state.`)
  rmSync(lock, { force: true })
  writeFileSync(lock, String(process.pid), { flag: 'wx' })
  return { [Symbol.dispose]: () => rmSync(lock, { force: true }) }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export function stateOf(state: SoakState, part: Part): PartState {
  const { unit, goal } = part
  const known = state.parts[part.name]
  // A goal that has grown since the file was written is not reached yet.
  return known
    ? { ...known, unit, goal }
    : { done: 0, goal, unit, chunks: 0, nextSeed: state.seed, seconds: 0, failures: [] }
}

/** How one chunk ended. `ran` is false when it broke before its test began. */
export interface ChunkResult {
  readonly ran: boolean
  readonly seconds: number
  /** Null when everything held. */
  readonly failure: Pick<Failure, 'what' | 'replay'> | null
}

/** Adds a finished chunk. Only one that held counts toward the goal. The failure of another stays in the state. */
export function addChunk(
  state: SoakState,
  part: Part,
  size: number,
  result: ChunkResult,
  about: { readonly at: string; readonly commit: string },
): SoakState {
  const before = stateOf(state, part)
  const { failure } = result
  const after: PartState = {
    ...before,
    done: before.done + (failure ? 0 : size),
    chunks: before.chunks + 1,
    nextSeed: before.nextSeed + 1,
    seconds: before.seconds + result.seconds,
    failures: failure ? [...before.failures, { seed: before.nextSeed, size, ...about, ...failure }] : before.failures,
  }
  return { ...state, updatedAt: about.at, parts: { ...state.parts, [part.name]: after } }
}
