import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { WritableTree } from '../../ports/file-tree.ts'
import type { Search, SearchScope } from '../../ports/search.ts'

/**
 * The files behind one prefix during one call. Every backend has this form, so that the file tools need not know which
 * one they use. Changes wait for one of the two commits.
 */
export interface BackendTree extends WritableTree {
  /** The path after following its links inside the backend. */
  leadsTo(path: VirtualPath): Promise<VirtualPath>
  /** Runs `grep` and `glob`. */
  readonly search: Search
  scopeOf(path: VirtualPath, includeIgnored: boolean): SearchScope
  /** True when `commitOutside` makes the changes durable, false when `commit` does. */
  readonly isOutside: boolean
  /** The files that the call has changed so far. */
  changes(): Promise<readonly BackendChange[]>
  /** Passes the changes on, to be stored together with the call's result. Cannot fail. */
  commit(): void
  /**
   * Makes the changes durable at once, all or nothing. For a backend that is not stored with the result; the others do
   * nothing. Throws `FileTreeError` when nothing was changed.
   */
  commitOutside(): Promise<void>
}

export interface BackendChange {
  readonly path: VirtualPath
  readonly kind: 'create' | 'modify' | 'delete'
}
