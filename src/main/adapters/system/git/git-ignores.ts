import { realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAt } from '../look-at.ts'
import {
  type OtherIndex,
  readExcludes,
  repositoryOf,
  textOfIgnoreFile,
  trackedFiles,
  trackedInIndex,
} from './tracked-files.ts'

/** As core knows it: see `GitIgnores` of the port. */
interface Ignores {
  readonly prefix: string
  readonly above: (folder: string) => string | undefined
  readonly excludes: readonly string[]
  readonly isTracked: (path: string, isDirectory: boolean) => boolean
  readonly inner: (folder: string) => Ignores | null
  readonly problem: string | null
}

/** The indexes that a view has of the repository in a folder of the project, `/` for its own. Empty for none. */
export type IndexesOf = (folder: string) => readonly OtherIndex[]

/**
 * What git says of the files of a project's folder besides the ignore files in it. A path counts as tracked by the index
 * on disk and by those of a view. A repository that only the view has counts like one on disk, also where the project has no folder.
 */
export function readGitIgnores(rootFolder: string | null, indexesOf: IndexesOf = () => []): Ignores {
  if (rootFolder === null) return ofView(indexesOf, [])
  const real = realpathSync.native(rootFolder)
  const repository = repositoryOf(real)
  const inside = repository === null ? '' : relative(repository, real).split(sep).join('/')
  const onDisk = repository === null ? [] : [trackedFiles(real, repository)]
  const tracked = [...onDisk, ...indexesOf('/').map(trackedInIndex)]
  const excludes = repository === null ? [] : readExcludes(repository)
  return {
    prefix: inside === '' ? '' : `/${inside}`,
    above: (folder) => (repository === null ? undefined : textOfIgnoreFile(join(repository, folder, '.gitignore'))),
    excludes: excludes.map(({ text }) => text),
    isTracked: (path, isDirectory) => tracked.some((one) => one.has(path as VirtualPath, isDirectory)),
    inner(folder) {
      const below: IndexesOf = (inner) => indexesOf(inner === '/' ? folder : folder + inner)
      if (isRepository(real, folder)) return readGitIgnores(join(real, folder), below)
      const personal = excludes.filter(({ file }) => !file.startsWith(`${repository}${sep}`)).map(({ text }) => text)
      return below('/').length === 0 ? null : ofView(below, personal)
    },
    problem: tracked.some(({ isUnreadable }) => isUnreadable) ? unreadable : null,
  }
}

/** Of a repository that is not on disk. */
function ofView(indexesOf: IndexesOf, excludes: readonly string[]): Ignores {
  const tracked = indexesOf('/').map(trackedInIndex)
  return {
    ...{ prefix: '', above: () => undefined, excludes, problem: null },
    isTracked: (path, isDirectory) => tracked.some((one) => one.has(path as VirtualPath, isDirectory)),
    inner(folder) {
      const below: IndexesOf = (inner) => indexesOf(inner === '/' ? folder : folder + inner)
      return below('/').length === 0 ? null : ofView(below, excludes)
    },
  }
}

const unreadable =
  'Git cannot read the index of the repository, or would wait without an end for a pipe in it, so what is tracked is unknown and a file that an ignore rule names counts as ignored. "git status" says what is wrong.'

/** Links lead elsewhere. */
function isRepository(root: string, folder: string): boolean {
  const place = join(root, folder)
  return lookAt(join(place, '.git')) !== undefined && lookAt(place)?.isDirectory() === true
}
