import { withoutIgnored } from '../ignored/ignored-files.ts'
import { isGitName } from '../model/git-names.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import type { BaseTree } from '../ports/base-tree.ts'
import { type FileTree, FileTreeError, type RemovedPaths } from '../ports/file-tree.ts'
import { entriesWithin, entryAt, type Tree } from './tree.ts'
import { type Walked, walk } from './walk.ts'

/** Up to this many files of a deleted folder are pinned one by one. A larger folder gets one opaque whiteout. */
const maxPinnedFiles = 1_000
const maxPinnedBytes = 32 * 1024 * 1024

export interface FolderRemoval {
  /** Counts the folder itself. */
  readonly removed: RemovedPaths
  /** Paths below the folder that get a whiteout, deepest first. */
  readonly whiteouts: readonly VirtualPath[]
  /** Paths below the folder whose entries are removed, because the folder's own whiteout covers them. */
  readonly forgotten: readonly VirtualPath[]
  /** True when one whiteout hides the whole folder and its files are not pinned. */
  readonly opaque: boolean
}

export interface FolderRemovalOptions {
  /** The most files of a deleted folder that are pinned one by one. */
  readonly pinnedFiles?: number | undefined
  /** Leaves ignored files of the base out of the removal. Absent for none. */
  readonly leavesIgnored?: Pick<BaseTree, 'ignores'> | undefined
  /** Aborts walks over moved, deleted or listed files. They throw its reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Plans the removal of a folder from the overlay. Refused when git's own folder is inside, because it would be deleted
 * too.
 */
export async function planFolderRemoval(
  files: FileTree,
  tree: Tree,
  folder: VirtualPath,
  { pinnedFiles = maxPinnedFiles, leavesIgnored, signal }: FolderRemovalOptions,
): Promise<FolderRemoval> {
  const { entries: all, unreadable } = await walk(files, folder, signal)
  const git = all.find(({ path }) => isGitName(path.slice(path.lastIndexOf('/') + 1)))
  if (git)
    throw new FileTreeError('refused', folder, `${folder} holds git's own folder ${git.path}, which is never deleted.`)
  const known = new Set(leavesIgnored ? await withoutIgnored(leavesIgnored, files, folder, all) : all)
  const entries = all.filter((entry) => known.has(entry) || entryAt(tree, entry.path))
  const count = countOf(entries)
  const left = countOf(all).files - count.files
  const removed = { files: count.files, folders: count.folders + 1, ...(left > 0 && { left }) }
  const opaque = unreadable > 0 || entryAt(tree, folder)?.opaque === true || !canBePinned(tree, entries, pinnedFiles)
  if (!opaque) return { removed, opaque, whiteouts: entries.map(({ path }) => path).reverse(), forgotten: [] }
  const forgotten = [...entriesWithin(tree, folder)].map(([path]) => path)
  return { removed, opaque, whiteouts: [], forgotten }
}

function countOf(entries: readonly Walked[]): Pick<RemovedPaths, 'files' | 'folders'> {
  const folders = entries.filter(({ node }) => node.kind === 'directory').length
  return { files: entries.length - folders, folders }
}

function canBePinned(tree: Tree, entries: readonly Walked[], pinnedFiles: number): boolean {
  const untouched = entries.filter(({ path }) => !entryAt(tree, path))
  const bytes = untouched.reduce((sum, { node }) => sum + (node.kind === 'file' ? node.size : 0), 0)
  return (
    untouched.length <= pinnedFiles && bytes <= maxPinnedBytes && !untouched.some(({ node }) => node.kind === 'special')
  )
}
