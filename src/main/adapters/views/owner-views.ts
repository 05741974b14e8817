import type { BranchView, ViewEntry } from '#core/ports/branch-views.ts'

/** What one owner's views are opened from, one at a time; what is kept between them is its own. */
export interface OwnerViews {
  open(overlay: readonly ViewEntry[], signal: AbortSignal): Promise<OpenedView>
}

export type OpenedView = Omit<BranchView, typeof Symbol.asyncDispose> & {
  /** Drops what was not captured. */
  close(): Promise<void>
}
