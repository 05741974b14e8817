import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** One path to change on disk: what must be there now, and what will be there afterwards. */
export interface ApplyStep {
  /** Below the user's folder; never the folder itself. */
  readonly path: VirtualPath
  /** Null when nothing may be there. */
  readonly before: TreeNode | null
  /** Null when the path is deleted. */
  readonly after: TreeNode | null
  /** True for a part of a repository that is new on disk, or that is removed as a whole. Git metadata is never written otherwise. */
  readonly makesRepository?: true
}

export type StepCheck =
  | { readonly path: VirtualPath; readonly state: 'ready' }
  | { readonly path: VirtualPath; readonly state: 'changed' | 'refused'; readonly why: string }

/** Follows an apply while it runs, and can end it. */
export interface ApplyWatch {
  /** Aborting restores what was written, and the apply fails as `cancelled`. */
  readonly signal?: AbortSignal
  /** Called after each piece of work with the number of pieces done. Some pieces take much longer than others. */
  readonly onProgress?: (done: number, total: number) => void
  /** Called when everything is written and can still be put back. When it throws, the apply fails as if a write had failed. */
  readonly whenWritten?: () => Promise<void>
}

/**
 * The only writer of the user's folder. `apply` first checks every step, then writes through temporary files and
 * renames, all or nothing. It keeps a record in the data folder, with which `recover` finishes or rolls back after a
 * crash.
 */
export interface DiskApply {
  /** One answer per step, in the same order. Writes nothing. */
  check(steps: readonly ApplyStep[]): Promise<readonly StepCheck[]>
  /** `content` returns the bytes of a step whose `after` is a file. Throws `DiskApplyError`. */
  apply(steps: readonly ApplyStep[], content: (step: ApplyStep) => Uint8Array, watch?: ApplyWatch): Promise<void>
}

export class DiskApplyError extends Error {
  readonly code: 'changed' | 'refused' | 'failed' | 'cancelled'
  /** Paths that could not be restored, because another program changed them meanwhile. */
  readonly left: readonly VirtualPath[]

  constructor(code: DiskApplyError['code'], message: string, left: readonly VirtualPath[] = []) {
    super(message)
    this.name = 'DiskApplyError'
    this.code = code
    this.left = left
  }
}
