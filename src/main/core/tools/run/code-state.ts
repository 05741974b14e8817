import type { EntryFromTool } from '#shared/model/entry.ts'
import type { BlobHash, ToolCallId } from '#shared/model/ids.ts'
import type { PythonMemory } from '#shared/model/thread.ts'
import { type BlobStore, BlobStoreError } from '../../ports/blob-store.ts'
import { type CodeState, stateBytesLimit } from '../../ports/code-runner.ts'

/** Where the variables and functions of a thread's code are kept. */
export interface CodeStates {
  /** The thread's state as the journal has it now. */
  current(): PythonMemory | null
  /** Holds the states. */
  readonly blobs: BlobStore
}

/** Languages whose variables stay. One value of the journal holds them all, so they go back together. */
const languages = { python: 'Python', javascript: 'JavaScript' } as const
export type StateLanguage = keyof typeof languages
type Parts = Readonly<Record<StateLanguage, Uint8Array | null>>

/** The state that one run begins with. */
export interface StartState {
  /** Null begins without variables. */
  readonly bytes: Uint8Array | null
  /** Names the value that holds the states of all languages; null for none. */
  readonly hash: BlobHash | null
  /** What the agent must know about it; empty for the ordinary case. */
  readonly note: string
}

/** What a good run leaves, to be stored with its result. */
export interface EndState {
  /** Null for no variables. */
  readonly bytes: Uint8Array | null
  /** The value of all languages that the run began with; null for none. */
  readonly before: BlobHash | null
}

const nothing: StartState = { bytes: null, hash: null, note: '' }

/**
 * The state for a run. One that cannot be read is left out, and the note says so. `below` is what earlier calls of the reply
 * leave that are not kept yet; undefined for none.
 */
export function startState(
  { current, blobs }: CodeStates,
  language: StateLanguage,
  { reset, below }: { readonly reset: boolean; readonly below: BlobHash | null | undefined },
): StartState {
  const memory = below === undefined ? current() : { state: below, wentBack: false }
  if (memory === null) return nothing
  if (reset) return { ...nothing, hash: memory.state }
  const note = memory.wentBack ? wentBackNote(language, memory.state) : ''
  if (memory.state === null) return { ...nothing, note }
  try {
    return { bytes: partsOf(blobs, memory.state)[language], hash: memory.state, note }
  } catch (error) {
    if (!(error instanceof BlobStoreError)) throw error
    return { ...nothing, note: lostNote(language) }
  }
}

function wentBackNote(language: StateLanguage, state: BlobHash | null): string {
  const name = languages[language]
  return state === null
    ? `The user went back to before the first ${name} call, so ${name} began without variables and functions.`
    : `The user went back to an earlier state, so ${name} had the variables and functions of that time.`
}

function lostNote(language: StateLanguage): string {
  return `The variables and functions of earlier calls could not be read, so ${languages[language]} began without any.`
}

/** What the result says about the state. Empty for the ordinary case. */
export function stateNote(
  language: StateLanguage,
  start: StartState,
  ended: CodeState | undefined,
  ok: boolean,
): string {
  if (start.bytes !== null && ended?.restored === false) return lostNote(language)
  const tooLarge = ok && ended?.after === null
  const lost = (ok && ended?.lost) || []
  return [
    start.note,
    tooLarge &&
      `What this call left in variables takes more than ${stateBytesLimit / 1024 / 1024} MB, so it was not kept: the next call begins with what this one began with. Keep large data in files.`,
    lost.length > 0 && `Not kept for later calls, because only data, functions and classes are: ${lost.join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** What is to be stored after a good run. A state that was too large leaves the one that the run began with. */
export function endState(start: StartState, { restored, after }: CodeState): EndState {
  const bytes = after ?? (restored ? start.bytes : null)
  return { bytes: bytes?.length === 0 ? null : bytes, before: start.hash }
}

/** Stores what a good run left. Call once, when its result is stored. */
export function keepState(
  { blobs }: CodeStates,
  language: StateLanguage,
  callId: ToolCallId,
  { bytes, before }: EndState,
): EntryFromTool {
  const whole = joinParts({ ...othersOf(blobs, before), [language]: bytes })
  return { type: 'python.kept', callId, state: whole === null ? null : blobs.put(whole) }
}

/** What other languages left in a state that cannot be read is lost, and their next call says so. */
function othersOf(blobs: BlobStore, before: BlobHash | null): Parts {
  try {
    return before === null ? empty : partsOf(blobs, before)
  } catch (error) {
    if (!(error instanceof BlobStoreError)) throw error
    return empty
  }
}

const empty: Parts = { python: null, javascript: null }
const head = /^code 1 (\d+)\n/
const longestHead = 30

/** Python alone is stored as its bytes, as ever. Two languages stand behind a line with the length of the first one. */
function joinParts({ python, javascript }: Parts): Uint8Array | null {
  if (javascript === null) return python
  const line = new TextEncoder().encode(`code 1 ${python?.length ?? 0}\n`)
  const whole = new Uint8Array(line.length + (python?.length ?? 0) + javascript.length)
  whole.set(line)
  if (python) whole.set(python, line.length)
  whole.set(javascript, whole.length - javascript.length)
  return whole
}

function partsOf(blobs: BlobStore, hash: BlobHash): Parts {
  const bytes = blobs.get(hash)
  const [line, length] = head.exec(new TextDecoder('latin1').decode(bytes.subarray(0, longestHead))) ?? []
  if (line === undefined) return { ...empty, python: bytes }
  const javascript = line.length + Number(length)
  return {
    python: Number(length) === 0 ? null : bytes.subarray(line.length, javascript),
    javascript: bytes.subarray(javascript),
  }
}
