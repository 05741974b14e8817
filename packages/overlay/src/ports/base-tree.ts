import type { BlobHash } from '../model/blob-hash.ts'
import type { FilePermissions } from '../model/tree-node.ts'
import type { VirtualPath } from '../model/virtual-path.ts'

/**
 * A node of the base. Like `lstat`, it reports links without following them. Sizes are in bytes, times in milliseconds
 * since the epoch.
 */
export type BaseNode =
  /** `mode` also stands for permissions on disk that a new file would not get. */
  | ({ readonly kind: 'file'; readonly size: number; readonly modified: number } & FilePermissions)
  | { readonly kind: 'directory'; readonly modified: number }
  | { readonly kind: 'symlink'; readonly target: string; readonly modified: number }
  /** A FIFO, socket or device. It is listed, but never opened. */
  | { readonly kind: 'special'; readonly modified: number }

export interface BaseListing {
  /** Sorted by name, in code-unit order. */
  readonly entries: readonly { readonly name: string; readonly node: BaseNode }[]
  /** How many entries could not be read. Names that are not valid UTF-8 count too. */
  readonly unreadable: number
}

export interface ReadFile {
  /** The whole content, or the given range of it. */
  readonly bytes: Uint8Array
  /** True when the owner may execute the file. */
  readonly executable: boolean
}

/** A file of any size, with the names of its content. */
export interface HashedFile {
  /** SHA-256 of the content. */
  readonly blob: BlobHash
  /** Git's object id. */
  readonly gitId: string
  /** In bytes. */
  readonly size: number
  /** True when the owner may execute the file. */
  readonly executable: boolean
}

export interface ByteRange {
  /** In bytes, from the start of the file. */
  readonly offset: number
  /** In bytes. A range past the end returns what is left. */
  readonly length: number
}

/**
 * The user's folder, read only. No link that leaves the root is ever followed, and only regular files are opened. For a
 * missing path `stat` and `list` return undefined; `read` throws. All failures are `BaseTreeError`.
 */
export interface BaseTree {
  /** Never follows a link at the path itself. */
  stat(path: VirtualPath): Promise<BaseNode | undefined>
  /** Undefined when there is no folder at the path. Names are sorted by code unit. Throws the signal's reason. */
  list(path: VirtualPath, signal?: AbortSignal): Promise<BaseListing | undefined>
  /**
   * Follows links that stay inside the root. Refuses files over the limit, usually `maxReadBytes`, unless a range is
   * given: `too_large`.
   */
  read(path: VirtualPath, range?: ByteRange): Promise<Uint8Array>
  /**
   * Reads the file and its mode in one step. Undefined when a link is on the way or when there is no file. The overlay
   * tries this first, because it must follow links through its own changes.
   */
  readUnlinked(path: VirtualPath, range?: ByteRange): Promise<ReadFile | undefined>
  /**
   * Names the content of a file of any size without keeping it in memory. Undefined when a link is on the way or when
   * there is no file. Reads the whole file, unless it is as it was on an earlier call. Throws the signal's
   * reason.
   */
  hashUnlinked(path: VirtualPath, signal?: AbortSignal): Promise<HashedFile | undefined>
  /** `stat` in one step. Undefined when a link is above the path or when nothing is there. */
  statUnlinked(path: VirtualPath): Promise<BaseNode | undefined>
  /** The target of an absolute link relative to the root, with any `..` unchanged. Undefined when it is outside. */
  targetInside(target: string): string | undefined
  /** True for the app's own folder inside the project, and everything in it. Without this method there is none. */
  hides?(path: VirtualPath): boolean
  /**
   * Folders of the base that lie elsewhere on disk than the folder above them. None of them can be moved or deleted, and `..` in a
   * link does not lead out of one. Without this method there is none.
   */
  roots?(): readonly VirtualPath[]
  /** What git says besides the ignore files in the folder, as it is now. Without this method there is no repository. */
  ignores?(): Promise<GitIgnores>
}

/** What a repository says of the files of the project, besides the ignore files in its folders. */
export interface GitIgnores {
  /** The project below the top of the repository: empty, or a path that begins with a slash. */
  readonly prefix: string
  /** The text of the `.gitignore` in a folder above the project. Paths begin at the top of the repository. */
  above(folder: string): string | undefined
  /** Texts of ignore files that belong to no folder, the weakest first. */
  readonly excludes: readonly string[]
  /** True for a tracked path of the project, and for a folder that holds one. */
  isTracked(path: string, isDirectory: boolean): boolean
  /** What another repository says of its files, when there is one in this folder of the project. Null for none. */
  inner(folder: string): GitIgnores | null
  /** Why it is unknown what is tracked, as sentences for a person. Null when it is known. */
  readonly problem: string | null
}

/** The most bytes of a file that are read at once, and the most that the store takes. Larger files are *large*. */
export const maxReadBytes = 256 * 1024 * 1024

export type BaseTreeErrorCode =
  | 'not_found'
  | 'not_a_file'
  | 'link_leaves_root'
  | 'link_loop'
  | 'too_large'
  | 'unreadable'
  | 'name_too_long'

export class BaseTreeError extends Error {
  readonly code: BaseTreeErrorCode
  readonly path: VirtualPath

  constructor(code: BaseTreeErrorCode, path: VirtualPath, message: string) {
    super(message)
    this.name = 'BaseTreeError'
    this.code = code
    this.path = path
  }
}
