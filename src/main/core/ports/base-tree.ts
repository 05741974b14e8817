import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** A node of the base. Like `lstat`, it reports links and does not follow them. Sizes in bytes, times in ms since the epoch. */
export type BaseNode =
  | { readonly kind: 'file'; readonly size: number; readonly modified: number; readonly executable: boolean }
  | { readonly kind: 'directory'; readonly modified: number }
  | { readonly kind: 'symlink'; readonly target: string; readonly modified: number }
  /** FIFO, socket or device: listed, never opened. */
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
  /** False for a file that is not executable by its owner. */
  readonly executable: boolean
}

export interface ByteRange {
  /** In bytes, from the start of the file. */
  readonly offset: number
  /** In bytes; a range past the end yields what is left. */
  readonly length: number
}

/**
 * The user's folder, read only. No path through a link that leaves the root is ever followed, and only regular files
 * are opened. A missing path is `undefined` for `stat` and `list`; `read` throws. All failures are `BaseTreeError`.
 */
export interface BaseTree {
  /** Never follows a link at the path itself. */
  stat(path: VirtualPath): Promise<BaseNode | undefined>
  /** `undefined` when there is no folder at the path. Names are sorted by code unit. Throws the reason of the signal. */
  list(path: VirtualPath, signal?: AbortSignal): Promise<BaseListing | undefined>
  /** Follows links that stay inside the root. Files over `maxReadBytes` are refused unless a range is given. */
  read(path: VirtualPath, range?: ByteRange): Promise<Uint8Array>
  /**
   * Reads the file and its mode in one step. `undefined` where a link lies on the way, or where there is no file.
   * The overlay asks this first, because it must follow links through its own changes.
   */
  readUnlinked(path: VirtualPath, range?: ByteRange): Promise<ReadFile | undefined>
  /** `stat` in one step where no link lies above the path; `undefined` where one does, or where nothing is. */
  statUnlinked(path: VirtualPath): Promise<BaseNode | undefined>
  /** The target of an absolute link as seen from the root, `..` left as it is; `undefined` when it is outside. */
  targetInside(target: string): string | undefined
}

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
