import type { SearchScope } from '#overlay'
import { defineError } from '#shared/base/define-error.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

export type { OverlayText, SearchScope } from '#overlay'

export interface GrepQuery {
  /** A regular expression in ripgrep's syntax, or plain text when `literal`. */
  readonly pattern: string
  /** Limits the search to matching files; all files when left out. */
  readonly glob?: string
  /** Lines shown before and after each match. */
  readonly context: number
  /** False makes the search case-sensitive. */
  readonly caseInsensitive: boolean
  /** Takes the pattern as plain text. */
  readonly literal: boolean
  /** Lets a match span several lines. */
  readonly multiline: boolean
  /**
   * For a caller who looks at the files next: so many bytes of their contents may be kept in the outcome. None when left
   * out.
   */
  readonly mostKeptBytes?: number
}

export interface GrepLine {
  /** 1-based. */
  readonly number: number
  /** Without its line end; long lines are shortened. */
  readonly text: string
  /** False for a line of context. */
  readonly isMatch: boolean
}
export interface GrepFile {
  /** Virtual, whether the file is in the base or in the overlay. */
  readonly path: VirtualPath
  /** How many lines match, even where `lines` shows fewer. */
  readonly matches: number
  /** Matches and their context, in order of line numbers. */
  readonly lines: readonly GrepLine[]
  /** The whole file in which the lines were confirmed, if the query asked for it and the search read it anyway. */
  readonly content?: Uint8Array
}
export interface GrepOutcome {
  /** Sorted by path. */
  readonly files: readonly GrepFile[]
  /** How many binary files match; their lines are not shown. */
  readonly binarySkipped: number
  /** How many files and folders could not be read. */
  readonly unreadable: number
  /** True when the engine stopped early at its own limit. */
  readonly truncated: boolean
  /** True when rules of a `.gitignore` were left out, so that ignored files may be among the results. */
  readonly rulesCut?: boolean
}

/** Which files of the base to find by the bytes at their start. */
export interface ScanQuery {
  /** A regular expression in ripgrep's syntax. It may match too much, never too little; `^` stands behind a NUL too. */
  readonly pattern: string
  /** How many bytes at the start of a file count. */
  readonly startBytes: number
  /** Decides about a file whose text may match. The answer depends on nothing else. */
  holds(path: VirtualPath, start: Uint8Array): boolean
  /** Names of folders whose files are listed, but not looked at. */
  readonly skippedFolders: readonly string[]
}

/** All sorted by path. */
export interface ScanOutcome {
  /** Every file of the base, also ignored ones and those of git. */
  readonly all: readonly VirtualPath[]
  readonly found: readonly VirtualPath[]
  /** Files that there was no time to look at. The next scan goes on with them. */
  readonly unsearched: readonly VirtualPath[]
}

export interface Search {
  /** Throws `SearchError`, and the abort reason. */
  grep(query: GrepQuery, scope: SearchScope, signal: AbortSignal): Promise<GrepOutcome>
  /** Every file in scope, base and overlay, that matches one of `globs` (all when empty), sorted by path. */
  files(globs: readonly string[], scope: SearchScope, signal: AbortSignal): Promise<readonly VirtualPath[]>
}

/** What is asked about the whole project only. */
export interface FileScan {
  /**
   * At most `limit` files in scope whose path contains the text in any case, best first (`rankPaths`). For a person who
   * looks for a file: one that another program made in the last moments may be missing.
   */
  find(text: string, limit: number, scope: SearchScope, signal: AbortSignal): Promise<readonly VirtualPath[]>
  /**
   * Finds files of the base by their content, binary ones too. Files that have not changed are not read again, so all
   * queries of one search must be the same. Calls at the same time share one scan.
   */
  scan(query: ScanQuery): Promise<ScanOutcome>
}

/** The message of `bad_pattern` quotes the position. */
export const SearchError = defineError<'bad_pattern' | 'bad_glob' | 'unavailable'>('SearchError')
export type SearchError = InstanceType<typeof SearchError>
