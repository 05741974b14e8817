/** What a tree has at a path, as every part of the app names it. It belongs to the overlay. */
export {
  type FileNode,
  type FilePermissions,
  isLarge,
  type LargeNode,
  type NodeStep,
  type OverlayEntry,
  octal,
  permissionsMark,
  permissionsOf,
  type SymlinkNode,
  samePermissions,
  type TreeNode,
  withExecutable,
} from '#overlay'
