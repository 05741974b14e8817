import { readFileSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAt } from './look-at.ts'
import { type OtherIndex, readExcludes, repositoryOf, trackedFiles } from './tracked-files.ts'

/** As core knows it: see `GitIgnores` of the port. */
interface Ignores {
  readonly prefix: string
  readonly above: (folder: string) => string | undefined
  readonly excludes: readonly string[]
  readonly isTracked: (path: string, isDirectory: boolean) => boolean
  readonly inner: (folder: string) => Ignores | null
  readonly problem: string | null
}

/**
 * What git says of the files of a project's folder besides the ignore files in it. A path counts as tracked by the index
 * on disk and by each of `indexes`, those of a view.
 */
export function readGitIgnores(rootFolder: string, indexes: readonly OtherIndex[] = []): Ignores {
  const real = realpathSync.native(rootFolder)
  const repository = repositoryOf(real)
  const inside = repository === null ? '' : relative(repository, real).split(sep).join('/')
  const tracked =
    repository === null ? [] : [undefined, ...indexes].map((index) => trackedFiles(real, repository, index))
  return {
    prefix: inside === '' ? '' : `/${inside}`,
    above: (folder) => (repository === null ? undefined : textOf(join(repository, folder, '.gitignore'))),
    excludes: repository === null ? [] : readExcludes(repository).map(({ text }) => text),
    isTracked: (path, isDirectory) => tracked.some((one) => one.has(path as VirtualPath, isDirectory)),
    inner: (folder) => (isRepository(real, folder) ? readGitIgnores(join(real, folder)) : null),
    problem: tracked.some(({ isUnreadable }) => isUnreadable) ? unreadable : null,
  }
}

const unreadable =
  'Git cannot read the index of the repository, so what is tracked is unknown and a file that an ignore rule names counts as ignored. "git status" says what is wrong.'

/** Links lead elsewhere. */
function isRepository(root: string, folder: string): boolean {
  const place = join(root, folder)
  return lookAt(join(place, '.git')) !== undefined && lookAt(place)?.isDirectory() === true
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
