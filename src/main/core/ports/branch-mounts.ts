import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** How a mount differs from the base: the branch's overlay, ready to be written. */
export type MountEntry =
  | {
      readonly kind: 'file'
      readonly path: VirtualPath
      /** Equal for equal bytes. Bytes that were already written are not read again. */
      readonly content: string
      readonly read: () => Uint8Array
      readonly executable: boolean
    }
  | { readonly kind: 'symlink'; readonly path: VirtualPath; readonly target: string }
  /** `opaque` hides what the base holds below the path. */
  | { readonly kind: 'directory'; readonly path: VirtualPath; readonly opaque: boolean }
  | { readonly kind: 'absent'; readonly path: VirtualPath }

export type MountChange =
  | { readonly kind: 'file'; readonly path: VirtualPath; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: 'symlink'; readonly path: VirtualPath; readonly target: string }
  | { readonly kind: 'directory'; readonly path: VirtualPath }
  | { readonly kind: 'absent'; readonly path: VirtualPath }

export interface MountRequest {
  /** Usually the id of a branch. Mounts of one owner open one at a time and share the kept files. */
  readonly owner: string
  /** Sorted by path, so that folders come before their content. */
  readonly overlay: readonly MountEntry[]
}

export interface MountCapture {
  /** All differences from the branch that the mount was opened with, sorted by path. */
  readonly changes: readonly MountChange[]
  /** Number of changed files that are ignored by `.gitignore` or in `.git`. They stay with the mount. */
  readonly ignoredChanges: number
}

/** A branch as real files, for programs. Programs can never write to the user's own folder through it. */
export interface BranchMount extends AsyncDisposable {
  /**
   * Absolute path of the files, for a program started through `enter`. Other processes may see an empty folder there.
   */
  readonly folder: string
  /** Absolute path of a home folder for programs, outside `folder`. */
  readonly home: string
  /** A folder for throw-away files, beside `home` and outside `folder`. */
  readonly temporary: string
  /** Paths that an earlier mount kept and this one drops, because the branch or the disk changed there. */
  readonly evicted: readonly VirtualPath[]
  /** The command line that runs a program in the mount, with file descriptors and environment passed on. */
  enter(program: readonly string[]): readonly string[]
  /**
   * Call once, after every program has ended. Changes without a capture are dropped; ignored files stay with the mount.
   */
  capture(): Promise<MountCapture>
  /** Call instead of `capture`: drops every change, including what earlier mounts kept. */
  empty(): Promise<void>
}

/** How mounts are made: always by the cheapest means that the system has. */
export interface MountStrategy {
  /** `overlay` mounts, `clone` shares blocks of the file system, `copy` copies every byte. */
  readonly kind: 'overlay' | 'clone' | 'copy'
  /** One sentence for a person: why these means were chosen. */
  readonly reason: string
}

/**
 * Makes mounts of branches. Each mount shows the branch's current state, even where an earlier mount held something
 * else. Disposing removes all kept files.
 */
export interface BranchMounts extends AsyncDisposable {
  /** Waits while another mount of the same owner is open. Throws `BranchMountError`, and the abort reason. */
  open(request: MountRequest, signal: AbortSignal): Promise<BranchMount>
  /** Removes the kept files of an owner, once its mounts are closed. */
  remove(owner: string): Promise<void>
  /** Tries the system once, on the first call. Later calls return the same answer. */
  findStrategy(): Promise<MountStrategy>
  /** Bytes on disk of all kept files. */
  storedBytes(): Promise<number>
}

export class BranchMountError extends Error {
  readonly code: 'no_space' | 'too_large' | 'failed'

  constructor(code: BranchMountError['code'], message: string) {
    super(message)
    this.name = 'BranchMountError'
    this.code = code
  }
}
