import type { BlobHash } from './blob-hash.ts'
import type { VirtualPath } from './virtual-path.ts'

export type FilePermissions = {
  readonly executable: boolean
  /**
   * From 0 to 0o777, where somebody chose others than the file has on disk, or than a new file gets. Agrees with
   * `executable`.
   */
  readonly mode?: number
}

export type FileNode = FilePermissions & {
  readonly kind: 'file'
  /** SHA-256 of the content. */
  readonly blob: BlobHash
  /** Bytes. */
  readonly size: number
  /** Present for a large file: its content is not stored, but is only on the user's disk. */
  readonly large?: LargeContent
}
/** Where the content of a large file is, and its other name. Two nodes with the same `blob` are equal without it. */
export type LargeContent = {
  /** Where the base held the content when the branch took it. */
  readonly path: VirtualPath
  /** Git's object id, with which a patch names the content. */
  readonly gitId: string
}
/** A file whose content is only on the user's disk. */
export type LargeNode = FileNode & { readonly large: LargeContent }
export type SymlinkNode = { readonly kind: 'symlink'; readonly target: string }
export type DirectoryNode = { readonly kind: 'directory' }
/** What a tree has at a path. */
export type TreeNode = FileNode | SymlinkNode | DirectoryNode

/**
 * What the base held at a path when the overlay first changed it; null for nothing. The three-way check of merge and
 * apply compares the disk with this, never with the disk's present content.
 */
export type Pin = TreeNode | null

/**
 * One path that the overlay changed.
 * `node: null` is a whiteout: the path is deleted, with everything that the base holds below it.
 * `opaque` on a directory hides the base's children of that path (a folder that was deleted and made again).
 * `renamedFrom` joins the two halves of a rename, so that it is shown, merged and exported as one unit.
 */
export interface OverlayEntry {
  readonly node: TreeNode | null
  readonly pin: Pin
  readonly opaque?: true
  readonly renamedFrom?: VirtualPath
  /** When it was last changed, for listings. Equality and hashes ignore it. */
  readonly changedAt?: number
}

/** The state of a path before and after a change of the disk. */
export type NodeStep = readonly [path: VirtualPath, before: TreeNode | null, after: TreeNode | null]

export function isLarge(node: TreeNode | null): node is LargeNode {
  return node?.kind === 'file' && node.large !== undefined
}

/** Nothing but the permissions. */
export function permissionsOf({ executable, mode }: FilePermissions): FilePermissions {
  return { executable, ...(mode !== undefined && { mode }) }
}

export function samePermissions(a: FilePermissions, b: FilePermissions): boolean {
  return a.executable === b.executable && a.mode === b.mode
}

/** The permissions as the end of a name: equal only if they are. */
export function permissionsMark({ executable, mode }: FilePermissions): string {
  return `${executable ? '+x' : ''}${mode === undefined ? '' : ` ${octal(mode)}`}`
}

/** As `chmod` takes permissions, such as `640`. */
export function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0')
}

/** A file keeps its other permissions when it becomes a program, or stops being one. Whoever may read a program may run it. */
export function withExecutable(mode: number, executable: boolean): number {
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111
}
