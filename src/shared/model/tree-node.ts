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
/** What stands at a path of a tree. */
export type TreeNode = FileNode | SymlinkNode | DirectoryNode

/**
 * What the base held at a path when the overlay first changed it: `null` means that nothing was there. The three-way
 * check of merge and apply compares the disk with this, never with what the disk happens to hold now.
 */
export type Pin = TreeNode | null

/**
 * One path the overlay changed.
 * `node: null` is a whiteout: the path is gone from every view, and with it all that the base holds below it.
 * `opaque` on a directory hides the base's children of that path (a folder that was deleted and made again).
 * `renamedFrom` joins the two halves of a rename, so that it is shown, merged and exported as one unit.
 */
export interface OverlayEntry {
  readonly node: TreeNode | null
  readonly pin: Pin
  readonly opaque?: true
  readonly renamedFrom?: VirtualPath
  /** When it was last changed, for listings; not part of what the entry says, so equality and hashes ignore it. */
  readonly changedAt?: number
}

/** What stands at a path before and after a change of the disk. */
export type NodeStep = readonly [path: VirtualPath, before: TreeNode | null, after: TreeNode | null]
