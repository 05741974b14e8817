import type { BlobHash } from './ids.ts'
import type { VirtualPath } from './virtual-path.ts'

export type FileNode = {
  readonly kind: 'file'
  readonly blob: BlobHash
  /** Bytes. */
  readonly size: number
  readonly executable: boolean
}
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
