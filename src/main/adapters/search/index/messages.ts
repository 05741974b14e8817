import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Requirement } from './required-grams.ts'

/** What the thread of the index is started with. */
export interface IndexTask {
  /** Absolute, with links resolved. */
  readonly rootFolder: string
  /** Where the index is kept. */
  readonly folder: string
  /** The app's own folder inside the project. */
  readonly hidden: VirtualPath | null
  /** Milliseconds without events before changed folders are read again. */
  readonly restMs: number
  /**
   * Milliseconds. A file that changed less than this before it was read may have changed again without a trace in its
   * times, so the next run reads it again.
   */
  readonly settlingMs: number
}

/** Where matches can be. Everything else in scope was proved to hold none. */
export interface Candidates {
  readonly files: readonly VirtualPath[]
  /** Folders whose direct files may all match, because they changed since they were read. */
  readonly folders: readonly VirtualPath[]
  /** Folders that only the engine can enter. */
  readonly whole: readonly VirtualPath[]
}

/**
 * More files may match than it is worth to name. Not the answer of an index that is behind: then that says nothing about
 * the pattern.
 */
export const tooMany = 'too_many'

export interface FoundNames {
  /** Best first. */
  readonly paths: readonly VirtualPath[]
  /** Folders of which no name is known. */
  readonly foreign: readonly VirtualPath[]
}

export type Question =
  /** Answered with `Candidates`, with `too_many`, or null when the index cannot tell now. */
  | { readonly kind: 'candidates'; readonly requirement: Requirement; readonly path: VirtualPath }
  /** Answered with `FoundNames`, or null while all names are not known and after a refusal. */
  | { readonly kind: 'find'; readonly text: string; readonly limit: number }
  /** Answered with `IndexState`. */
  | { readonly kind: 'state' }

export interface IndexState {
  /** True when the index is complete and answers. */
  readonly ready: boolean
  /** Why it will never answer. Null while it may. */
  readonly refused: string | null
  readonly files: number
  /** Of all signatures, in bytes. */
  readonly length: number
}

/** From the host to the thread. */
export type ToIndex =
  | { readonly id: number; readonly question: Question }
  /** The sum of the files that the engine lists. Null when it failed. */
  | { readonly listed: string | null }

/** From the thread to the host. */
export type FromIndex =
  | { readonly id: number; readonly answer: unknown }
  /** Asks for the sum of the files that the engine lists outside these folders. */
  | { readonly list: readonly VirtualPath[] }
