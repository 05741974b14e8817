/** What a tree has at a path, as every part of the app names it. It belongs to the overlay. */
export {
  type FileNode,
  isLarge,
  type LargeNode,
  type NodeStep,
  type OverlayEntry,
  type SymlinkNode,
  type TreeNode,
} from '#overlay'
