import type { FilePermissions } from '../model/tree-node.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import type { BaseListing, BaseNode, ByteRange } from './base-tree.ts'

/**
 * A tree of files as an agent sees it: base and overlay merged, or one of the stores behind a prefix. `read` follows
 * links inside the root; `stat` and `list` report them. All failures are `FileTreeError` or `BaseTreeError`.
 */
export interface FileTree {
  /** Undefined when nothing is at the path. */
  stat(path: VirtualPath): Promise<BaseNode | undefined>
  /** Undefined when there is no folder at the path. */
  list(path: VirtualPath): Promise<BaseListing | undefined>
  /** Throws `not_found` when nothing is at the path. A range is in bytes. */
  read(path: VirtualPath, range?: ByteRange): Promise<Uint8Array>
}

export interface RemovedPaths {
  /** Links count as files. */
  readonly files: number
  /** Includes the deleted folder itself. */
  readonly folders: number
  /** Ignored files that are hidden on the branch, and that stay on disk. Absent for none. */
  readonly left?: number
}

export interface DeleteOptions {
  /** Files of the base that git ignores stay on disk when the folder that holds them is not ignored itself. */
  readonly leavesIgnored?: boolean
}

/** Every call is atomic: it makes all of its changes, or none. Missing folders above a written file are made. */
export interface WritableTree extends FileTree {
  /**
   * Creates or replaces a file and follows links inside the root. A replaced file keeps its permissions unless others are
   * given.
   */
  write(path: VirtualPath, bytes: Uint8Array, options?: FilePermissions): Promise<'created' | 'replaced'>
  /** Also makes the folders above. An existing folder is accepted; a file there is `already_exists`. */
  makeDirectory(path: VirtualPath): Promise<void>
  /** The target is stored as written and may not exist. */
  makeSymlink(path: VirtualPath, target: string): Promise<void>
  /** Follows links inside the root. Throws `not_found` and `is_a_directory`. */
  setExecutable(path: VirtualPath, executable: boolean): Promise<void>
  /** Deletes a file, a link (never its target) or a folder with everything below it. */
  delete(path: VirtualPath, options?: DeleteOptions): Promise<RemovedPaths>
  /** A move is shown, merged and exported as one rename. Refused onto a folder, and into the moved folder itself. */
  move(from: VirtualPath, to: VirtualPath): Promise<void>
}

export type FileTreeErrorCode =
  | 'not_found'
  | 'is_a_directory'
  | 'not_a_directory'
  | 'already_exists'
  | 'root'
  | 'read_only'
  | 'into_itself'
  | 'refused'

export class FileTreeError extends Error {
  readonly code: FileTreeErrorCode
  readonly path: VirtualPath

  constructor(code: FileTreeErrorCode, path: VirtualPath, message: string) {
    super(message)
    this.name = 'FileTreeError'
    this.code = code
    this.path = path
  }
}
