import type { Memory, MemoryVersion } from '../../model/memory.ts'

/** A memory for all projects. */
export interface UserMemoryView extends Pick<Memory, 'name' | 'text' | 'used'> {
  /** Oldest first; never empty. */
  readonly versions: readonly MemoryVersion[]
}

export interface UserMemoriesView {
  /** Deleted ones are included, for their versions. */
  readonly memories: readonly UserMemoryView[]
  /** Whether agents of this project know them. */
  readonly on: boolean
  /** True when the project's own settings switch them off, whatever the user's settings say. */
  readonly offByProject: boolean
  /** Why they cannot be used now; null when they can. */
  readonly problem: string | null
}
