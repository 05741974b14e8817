import type { EntryFromTool } from '#shared/model/entry.ts'
import type { BlobHash, ToolCallId } from '#shared/model/ids.ts'
import type { PythonMemory } from '#shared/model/thread.ts'
import { type BlobStore, BlobStoreError } from '../../ports/blob-store.ts'
import { type PythonState, stateBytesLimit } from '../../ports/code-runner.ts'

/** Where the variables and functions of a thread's Python are kept. */
export interface PythonStates {
  /** The thread's state as the journal has it now. */
  current(): PythonMemory | null
  /** Holds the states. */
  readonly blobs: BlobStore
}

/** The state that one run begins with. */
export interface StartState {
  /** Null begins without variables. */
  readonly bytes: Uint8Array | null
  /** Names the bytes; null for none. */
  readonly hash: BlobHash | null
  /** What the agent must know about it; empty for the ordinary case. */
  readonly note: string
}

/** What a good run left, to be stored with its result. */
export interface EndState {
  /** Null keeps the state that the run began with. */
  readonly bytes: Uint8Array | null
  /** The state that the run began with; null for none. */
  readonly before: BlobHash | null
}

const nothing: StartState = { bytes: null, hash: null, note: '' }

/**
 * The state for a run. One that cannot be read is left out, and the note says so. `below` is what earlier calls of the reply
 * leave that are not kept yet; undefined for none.
 */
export function startState(
  { current, blobs }: PythonStates,
  reset: boolean,
  below: BlobHash | null | undefined,
): StartState {
  const memory = below === undefined ? current() : { state: below, wentBack: false }
  if (reset || memory === null) return nothing
  const note = memory.wentBack ? wentBackNote(memory.state) : ''
  if (memory.state === null) return { ...nothing, note }
  try {
    return { bytes: blobs.get(memory.state), hash: memory.state, note }
  } catch (error) {
    if (!(error instanceof BlobStoreError)) throw error
    return { ...nothing, note: lostNote }
  }
}

function wentBackNote(state: BlobHash | null): string {
  return state === null
    ? 'The user went back to before the first Python call, so Python began without variables and functions.'
    : 'The user went back to an earlier state, so Python had the variables and functions of that time.'
}

const lostNote = 'The variables and functions of earlier calls could not be read, so Python began without any.'

/** What the result says about the state. Empty for the ordinary case. */
export function stateNote(start: StartState, ended: PythonState | undefined, ok: boolean): string {
  if (start.bytes !== null && ended?.restored === false) return lostNote
  const tooLarge = ok && ended?.after === null
  const words = `What this call left in variables takes more than ${stateBytesLimit / 1024 / 1024} MB, so it was not kept: the next call begins with what this one began with. Keep large data in files.`
  return [start.note, tooLarge && words].filter(Boolean).join(' ')
}

/** Stores what a good run left. Call once, when its result is stored. */
export function keepState({ blobs }: PythonStates, callId: ToolCallId, { bytes, before }: EndState): EntryFromTool {
  return { type: 'python.kept', callId, state: bytes === null ? before : blobs.put(bytes) }
}
