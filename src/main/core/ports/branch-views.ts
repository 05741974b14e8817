import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** How a view differs from the base: the branch's overlay, ready to be written out. */
export type ViewEntry =
  | {
      readonly kind: 'file'
      readonly path: VirtualPath
      /** Equal for equal bytes, so that what is written already is not read again. */
      readonly content: string
      readonly read: () => Uint8Array
      readonly executable: boolean
    }
  | { readonly kind: 'symlink'; readonly path: VirtualPath; readonly target: string }
  /** `opaque`: what the base holds below is hidden. */
  | { readonly kind: 'directory'; readonly path: VirtualPath; readonly opaque: boolean }
  | { readonly kind: 'absent'; readonly path: VirtualPath }

export type ViewChange =
  | { readonly kind: 'file'; readonly path: VirtualPath; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: 'symlink'; readonly path: VirtualPath; readonly target: string }
  | { readonly kind: 'directory'; readonly path: VirtualPath }
  | { readonly kind: 'absent'; readonly path: VirtualPath }

export interface ViewRequest {
  /** Whose view it is, a branch as a rule. Views of one owner are opened one after the other and share what is kept. */
  readonly owner: string
  /** Sorted by path, so that folders come before what is in them. */
  readonly overlay: readonly ViewEntry[]
}

export interface ViewCapture {
  /** What is different from the branch the view was opened with, as one patch, sorted by path. */
  readonly changes: readonly ViewChange[]
  /** How many files changed that `.gitignore` names or that are in `.git`: they stay with the view. */
  readonly ignoredChanges: number
}

/** A branch as real files, for programs. The user's own folder is never among what can be written. */
export interface BranchView extends AsyncDisposable {
  /** Where a program that was started through `enter` finds the files. Other processes may see nothing there. */
  readonly folder: string
  /** Folders of its own for what programs keep in a home and what they throw away; outside `folder`. */
  readonly home: string
  readonly temporary: string
  /** What an earlier view kept and this one no longer shows, as the branch or the disk moved there. */
  readonly givenUp: readonly VirtualPath[]
  /** The command line that runs a program in the view, with file descriptors and environment passed on. */
  enter(program: readonly string[]): readonly string[]
  /** Once, after every program has ended. What nobody captures is dropped, but for ignored files, which stay with the view. */
  capture(): Promise<ViewCapture>
  /** Instead of capturing: drops all, what earlier views kept among it. */
  empty(): Promise<void>
}

/** How views are made: the cheapest means the system has, and why it is this one. */
export interface ViewMeans {
  readonly kind: 'overlay' | 'clone' | 'copy'
  readonly reason: string
}

/**
 * Makes views of branches. Each is opened with the branch as it is now: nothing that an earlier view held shows where the branch or the
 * disk moved since. Disposing removes all that is kept.
 */
export interface BranchViews extends AsyncDisposable {
  open(request: ViewRequest, signal: AbortSignal): Promise<BranchView>
  /** Removes what is kept of an owner, once its views are closed. */
  remove(owner: string): Promise<void>
  means(): Promise<ViewMeans>
  /** Bytes on disk of all that is kept. */
  storedBytes(): Promise<number>
}

export class BranchViewError extends Error {
  readonly code: 'no_space' | 'too_large' | 'failed'

  constructor(code: BranchViewError['code'], message: string) {
    super(message)
    this.name = 'BranchViewError'
    this.code = code
  }
}
