import type { BaseTree } from './base-tree.ts'
import type { DiskApply } from './disk-apply.ts'
import type { Search } from './search.ts'

/** A folder of the person's machine beside the project. Its paths are virtual, with `/` as the folder itself. */
export interface RealFolder {
  /** Absolute, with links resolved. For people; nothing is opened by this name. */
  readonly path: string
  /** Reads without following a link out of the folder. */
  readonly base: BaseTree
  readonly search: Search
  /** Writes what a person approved, all or nothing. Null for a folder that is only read. */
  readonly apply: DiskApply | null
}
