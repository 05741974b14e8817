import { join } from 'node:path'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import { createGitRules } from '#overlay'
import { ancestorsOf, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type IndexesOf, readGitIgnores } from '../system/git/git-ignores.ts'
import { lookAt } from '../system/look-at.ts'
import { findInLayers, type ShownLayer } from './layers/shown-in-layers.ts'
import { readRegular } from './mount-base.ts'
import { restingFiles } from './written-files.ts'

/**
 * Paths that a command may change without changing the branch: `.git` and everything that git ignores. A path that
 * git tracks, or that the branch has changed, is never ignored, whatever a rule says.
 */
export interface MountRules {
  isLeftOut(path: VirtualPath, isDirectory: boolean): boolean
  /** The same of a folder that may hold changes of the branch, for what else is in it. */
  isIgnoredFolder(path: VirtualPath): boolean
  /** Why it answers otherwise than git does, as sentences. Null when it does not. */
  problem(): string | null
}

const tooLong =
  'A .gitignore is longer than Coppice reads, so files that only its end names count as changes. Shorten it, or move its rules to the folders that they are about.'

/**
 * `readRules` returns the text of a folder's `.gitignore` in the mount. Above the project, the rules of the surrounding
 * repository apply. A path counts as tracked by the index on disk and by each of `indexesOf`, those of the view before and
 * after a command. `changed` are the changes of the branch, see `changedPaths`, and `isSparse` see `outsideSparse`.
 */
export function createMountRules(
  rootFolder: string | null,
  readRules: (folder: VirtualPath) => string | undefined,
  indexesOf: IndexesOf,
  changed: ChangedPaths,
  isSparse: (path: VirtualPath) => boolean = () => false,
): MountRules {
  const git = readGitIgnores(rootFolder, indexesOf)
  const rules = createGitRules((folder) => readRules(folder as VirtualPath), git)
  const isOfBranch = (path: VirtualPath, isDirectory: boolean) =>
    changed.files.has(path) || (isDirectory && changed.folders.has(path))
  return {
    isLeftOut: (path, isDirectory) =>
      !isOfBranch(path, isDirectory) && (rules.isLeftOut(path, isDirectory) || (!isDirectory && isSparse(path))),
    isIgnoredFolder: (path) => rules.isLeftOut(path, true),
    problem() {
      // The file at the top is read for the first path.
      rules.isLeftOut('/-', false)
      return git.problem ?? (rules.cutFolders().length > 0 ? tooLong : null)
    },
  }
}

/** What a branch has changed, which it would have twice if a command's version of it were kept beside the branch. */
export interface ChangedPaths {
  readonly files: ReadonlySet<VirtualPath>
  /** Those that hold changed files, and made ones. */
  readonly folders: ReadonlySet<VirtualPath>
}

/** The changes of a branch without those of `.git`, and without files that are only hidden and folders that are gone. */
export function changedPaths(
  overlay: readonly MountEntry[],
  hiddenFiles: readonly VirtualPath[],
  rootFolder: string | null,
): ChangedPaths {
  const hidden = new Set(hiddenFiles)
  const isFolder = (path: VirtualPath) => rootFolder !== null && lookAt(join(rootFolder, path))?.isDirectory() === true
  const own = overlay.filter(
    ({ path, kind }) => !/\/\.git(\/|$)/i.test(path) && !(kind === 'absent' && (hidden.has(path) || isFolder(path))),
  )
  const paths = (isWanted: boolean) =>
    own.flatMap(({ path, kind }) => ((kind === 'directory') === isWanted ? [path] : []))
  const files = new Set(paths(false))
  return { files, folders: new Set([...paths(true), ...[...files].flatMap((path) => ancestorsOf(path))]) }
}

/**
 * What the newest layer that has something there says of a folder's `.gitignore`: a folder that ignores itself is in a layer
 * with its rules. Undefined when no layer says anything, and the text is undefined when one says that there is none.
 */
export function rulesInLayers(
  layers: readonly ShownLayer[],
  folder: VirtualPath,
): { readonly text: string | undefined } | undefined {
  const path = joinPath(folder, '.gitignore')
  const found = findInLayers(layers, path)
  if (found === undefined) return undefined
  return { text: found === 'gone' ? undefined : restingFiles(found.layer.files).at(path, rulesAt) }
}

/** The text of a real folder's `.gitignore`. Undefined when that is not a regular file. */
export function rulesIn(folder: string): string | undefined {
  return rulesAt(join(folder, '.gitignore'))
}

/** The text of a `.gitignore`. Undefined when it is not a regular file. */
export function rulesAt(file: string): string | undefined {
  try {
    return Buffer.from(readRegular(file)).toString()
  } catch {
    return undefined
  }
}
