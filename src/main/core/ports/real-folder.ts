import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { BaseTree } from './base-tree.ts'
import type { DiskApply } from './disk-apply.ts'
import type { FileScan, Search } from './search.ts'

/** A real folder that programs may read. */
export interface FolderBeside {
  /** Where the file tools have it, such as `/refs/lib`. */
  readonly path: VirtualPath
  /** For its variable. */
  readonly name: string
  readonly folder: RealFolder
}

/** A folder of the person's machine beside the project. Its paths are virtual, with `/` as the folder itself. */
export interface RealFolder {
  /** Absolute, with links resolved. For people; nothing is opened by this name. */
  readonly path: string
  /** Reads without following a link out of the folder. */
  readonly base: BaseTree
  /** True for one that commands may read as well: the person gave it for that, and it shows neither the project nor a home. */
  readonly isForPrograms: boolean
  readonly search: Search & FileScan
  /** Writes what a person approved, all or nothing. Null for a folder that is only read. */
  readonly apply: DiskApply | null
}
