import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { BaseListing, BaseNode, ByteRange } from './base-tree.ts'

/**
 * A tree of files as an agent sees it: base and overlay merged, or one of the stores behind a prefix. Links inside the
 * root are followed by `read`; `stat` and `list` report them. All failures are `FileTreeError` or `BaseTreeError`.
 */
export interface FileTree {
  stat(path: VirtualPath): Promise<BaseNode | undefined>
  list(path: VirtualPath): Promise<BaseListing | undefined>
  read(path: VirtualPath, range?: ByteRange): Promise<Uint8Array>
}

export interface RemovedPaths {
  readonly files: number
  readonly folders: number
}

/** Every call is atomic: it changes all it names or nothing. Folders above a written file appear. */
export interface WritableTree extends FileTree {
  /** Creates or replaces a file. Keeps the mode of what it replaces unless `executable` is given. Follows inside links. */
  write(
    path: VirtualPath,
    bytes: Uint8Array,
    options?: { readonly executable?: boolean },
  ): Promise<'created' | 'replaced'>
  makeDirectory(path: VirtualPath): Promise<void>
  makeSymlink(path: VirtualPath, target: string): Promise<void>
  setExecutable(path: VirtualPath, executable: boolean): Promise<void>
  /** A file, a link (itself, never its target) or a folder with all below it. */
  delete(path: VirtualPath): Promise<RemovedPaths>
  /** One unit: shown, merged and exported as a rename. Refused into its own child, and onto a folder. */
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
