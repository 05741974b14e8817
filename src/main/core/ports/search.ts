import type { BlobHash } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** A file whose text is in the overlay, searched by the same engine as the base. */
export interface OverlayText {
  readonly path: VirtualPath
  /** Read only when it is looked at. */
  readonly bytes: Uint8Array
  /** Of the bytes; without it they are taken for new each time. */
  readonly hash?: BlobHash
}

export interface SearchScope {
  /** A folder or a file. */
  readonly path: VirtualPath
  /** Base paths the overlay replaces or deletes: they and everything below them are not searched. */
  readonly hidden: readonly VirtualPath[]
  /** Files of the overlay below `path`, and the `.gitignore` files above it that the overlay changed. */
  readonly overlay: readonly OverlayText[]
  readonly includeIgnored: boolean
}

export interface GrepQuery {
  readonly pattern: string
  readonly glob?: string
  readonly context: number
  readonly caseInsensitive: boolean
  readonly literal: boolean
  readonly multiline: boolean
}

export interface GrepLine {
  /** 1-based. */
  readonly number: number
  readonly text: string
  readonly isMatch: boolean
}
export interface GrepFile {
  readonly path: VirtualPath
  readonly matches: number
  readonly lines: readonly GrepLine[]
}
export interface GrepOutcome {
  /** Sorted by path. */
  readonly files: readonly GrepFile[]
  readonly binarySkipped: number
  /** Files and folders that are there and could not be read. */
  readonly unreadable: number
  /** True when the engine stopped at its own bound before the end. */
  readonly truncated: boolean
}

export interface Search {
  grep(query: GrepQuery, scope: SearchScope, signal: AbortSignal): Promise<GrepOutcome>
  /** Every file in scope, base and overlay, that matches one of `globs` (all when empty), sorted by path. */
  files(globs: readonly string[], scope: SearchScope, signal: AbortSignal): Promise<readonly VirtualPath[]>
}

/** `bad_pattern` quotes the position in its message. */
export class SearchError extends Error {
  readonly code: 'bad_pattern' | 'bad_glob' | 'unavailable'

  constructor(code: SearchError['code'], message: string) {
    super(message)
    this.name = 'SearchError'
    this.code = code
  }
}
