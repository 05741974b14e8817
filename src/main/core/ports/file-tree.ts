/** Trees of files, as tools read and change them. The overlay owns these interfaces. */
export {
  type DeleteOptions,
  type FileTree,
  FileTreeError,
  type FileTreeErrorCode,
  type RemovedPaths,
  type WritableTree,
} from '#overlay'
