import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** One path to change on disk: what must be there now, and what shall be there after. */
export interface ApplyStep {
  readonly path: VirtualPath
  readonly before: TreeNode | null
  readonly after: TreeNode | null
}

export type StepCheck =
  | { readonly path: VirtualPath; readonly state: 'ready' }
  | { readonly path: VirtualPath; readonly state: 'changed' | 'refused'; readonly why: string }

/** Follows an apply while it runs, and can end it. */
export interface ApplyWatch {
  /** Once aborted, what was written is put back and the apply fails as `cancelled`. */
  readonly signal?: AbortSignal
  /** Told after each piece of work how much is done; some pieces take much longer than others. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * The only writer of the user's folder. `apply` checks every step first, writes through temporary files and renames,
 * all or nothing, and keeps a record in the data folder with which `recover` finishes or rolls back after a crash.
 */
export interface DiskApply {
  check(steps: readonly ApplyStep[]): Promise<readonly StepCheck[]>
  apply(steps: readonly ApplyStep[], content: (step: ApplyStep) => Uint8Array, watch?: ApplyWatch): Promise<void>
}

export class DiskApplyError extends Error {
  readonly code: 'changed' | 'refused' | 'failed' | 'cancelled'
  /** What is not as it was before, because others changed it meanwhile. */
  readonly left: readonly VirtualPath[]

  constructor(code: DiskApplyError['code'], message: string, left: readonly VirtualPath[] = []) {
    super(message)
    this.name = 'DiskApplyError'
    this.code = code
    this.left = left
  }
}
