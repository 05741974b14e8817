/**
 * A copy-on-write overlay over a folder: fork, edit, merge, and print a patch that git applies. The folder below is only
 * read. This is the one door of the package; `coppice-overlay/node` has the hashes of Node, and nothing else here needs Node.
 * The README shows all of it in twenty lines.
 */

// Patches as git writes and reads them.
export { applyPatchTo, PatchApplyError, verifyPatch, wantedFiles } from './git-patch/apply-patch.ts'
export { type CollectedPatch, collectPatchFiles } from './git-patch/collect-patch-files.ts'
export { lineHunks } from './git-patch/line-hunks.ts'
export { type LeftOut, type PatchFile, type PatchSide, sameBytes } from './git-patch/patch-file.ts'
export { PatchSyntaxError, readPatch } from './git-patch/read-patch.ts'
export { type HunkHeading, type WritePatchOptions, writePatch } from './git-patch/write-patch.ts'
// What git leaves out, by its own rules.
export { createGitRules, noGit } from './ignored/git-rules.ts'
export { createIgnoreRules, type IgnoreRules } from './ignored/ignore-rules.ts'
export { goneWith, readGitRules } from './ignored/ignored-files.ts'
export { compileGlob, type Glob } from './ignored/path-glob.ts'
// Several trees composed into one, file by file and hunk by hunk.
export {
  choiceOf,
  type Evidence,
  type FileChoice,
  type FileProposal,
  type Proposal,
  proposeFile,
} from './merge/compose/choices.ts'
export {
  type ComposeChoice,
  type ComposedPiece,
  type ComposedTree,
  type ComposeProblem,
  composedBases,
  composeTree,
  type FileOrigin,
} from './merge/compose/compose-tree.ts'
export {
  type ComposedFile,
  type ComposeSources,
  type ComposeTrees,
  composedFiles,
  type SourceVersion,
  type WholeReason,
} from './merge/compose/composed-files.ts'
export {
  assemble,
  type ComposedRun,
  type ComposeHunk,
  type ComposeSegment,
  type HunkPick,
  hunksOf,
  textFrom,
  variantsOf,
} from './merge/compose/segments.ts'
// The merge of a branch into its parent, by path, hunk or as a whole, and the way back.
export { type DecideSources, decide } from './merge/decide.ts'
export type { MergePlan } from './merge/execute.ts'
export { goBack, planRevert } from './merge/go-back.ts'
export {
  fileHunks,
  type HunkChoice,
  type HunkRefusal,
  planDiscardHunks,
  planMergeHunks,
  planRevertHunks,
} from './merge/hunks.ts'
export { lineMerge } from './merge/line-merge.ts'
export { type MergeChoice, planMerge } from './merge/plan.ts'
export { changedFile, conflictSides, planKeep, planResolve, unmergedFile } from './merge/resolve-conflict.ts'
export { reviewBranch } from './merge/review.ts'
export {
  type EarlierMerges,
  goalOf,
  loadSides,
  type MergeSources,
  type MergeTrees,
  type ThreeWay,
} from './merge/three-way.ts'
export { mergeUnits } from './merge/units.ts'
// What everything is about: paths, what a tree has at one, and reversible changes of it. Plain data.
export type { BlobHash } from './model/blob-hash.ts'
export { isGitModulesName, isGitName } from './model/git-names.ts'
export {
  compose,
  composeAll,
  emptyPatch,
  invert,
  type Patch,
  type PatchStep,
  sameEntry,
  sameNode,
  toPatch,
} from './model/patch.ts'
export type {
  BranchDiff,
  ChangeKind,
  Conflict,
  ConflictReason,
  FileChange,
  MergeBase,
  MergeResult,
  MergeStatus,
  MergeStrategy,
  SideSummary,
} from './model/reports.ts'
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
} from './model/tree-node.ts'
export {
  ancestorsOf,
  isWithin,
  joinPath,
  nameOf,
  type PathError,
  type PathProblem,
  parentOf,
  parseVirtualPath,
  rootPath,
  type VirtualPath,
} from './model/virtual-path.ts'
// What whoever uses the overlay brings: the folder below it, a store of contents, hashes and a comparison of texts.
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
} from './ports/base-tree.ts'
export { type BlobStore, BlobStoreError, createMemoryBlobStore } from './ports/blob-store.ts'
export {
  type DeleteOptions,
  type FileTree,
  FileTreeError,
  type FileTreeErrorCode,
  type RemovedPaths,
  type WritableTree,
} from './ports/file-tree.ts'
export type { GitAttributes, ObjectFormat } from './ports/git-attributes.ts'
export type { Deflate, Hashing } from './ports/hashing.ts'
export type { Pace } from './ports/pace.ts'
export type { TextDiff, TextHunk, TextMerge } from './ports/text-merge.ts'
// Trees: fork one by keeping it, edit it in a transaction, read it as files, compare two.
export { appliesTo, invertibleOn } from './tree/applies-to.ts'
export { exactText, isBinary } from './tree/binary.ts'
export {
  branchDiff,
  describeChange,
  identifyChanges,
  kindOf,
  type LeafChange,
  leafChanges,
  listChanges,
  readUnread,
  wholeChanges,
} from './tree/changes.ts'
export { type BaseFixture, createMemoryBaseTree, type MemoryBaseTree } from './tree/in-memory-base-tree.ts'
export { fitLineEnds, plainLineEnds } from './tree/line-ends.ts'
export { createLocate } from './tree/locate.ts'
export { type MountEntry, mountEntries } from './tree/mount-entries.ts'
export {
  baseNode,
  isLeaf,
  type Leaf,
  leafOf,
  nodeText,
  readNode,
  type TreeSources,
  unlinkedFile,
} from './tree/nodes.ts'
export { createOverlayTransaction, type OverlayTransaction } from './tree/overlay-transaction.ts'
export { createOverlayTree } from './tree/overlay-tree.ts'
export { branchScope, type OverlayText, type SearchScope } from './tree/search-scope.ts'
export {
  type FormedText,
  isAscii,
  readText,
  rewriteText,
  shownText,
  textIn,
  whyOnlyAscii,
  writeText,
} from './tree/text-form.ts'
export {
  childEntries,
  diffTrees,
  emptyTree,
  entriesWithin,
  entryAt,
  hidesBase,
  patchTree,
  type Tree,
  treeHash,
  withEntry,
} from './tree/tree.ts'
export type { TreeEditorOptions } from './tree/tree-editor.ts'
export { rebase, walk } from './tree/walk.ts'
