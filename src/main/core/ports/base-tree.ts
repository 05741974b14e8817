/** The user's folder, as adapters give it to the overlay, which owns this interface. */
export {
  type BaseListing,
  type BaseNode,
  type BaseTree,
  BaseTreeError,
  type BaseTreeErrorCode,
  type ByteRange,
  type GitIgnores,
  type HashedFile,
  maxReadBytes,
  type ReadFile,
} from '#overlay'
