import { realpathSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { ObjectFormat } from '#core/ports/git-storage.ts'
import { repositoryOf } from '../system/git/tracked-files.ts'
import { askRepository, partsOf } from './ask-repository.ts'
import { type ObjectReader, openObjectReader } from './object-reader.ts'
import { type CommitReader, createCommitReader } from './read-commit.ts'
import { type GitAnswer, gitFailed } from './run-git.ts'

/** A value of git's settings, and whether the person set it for more than this repository. */
export interface Setting {
  readonly value: string
  readonly isPersonal: boolean
}

export type Settings = ReadonlyMap<string, Setting>

/** Where a repository has its parts, as absolute paths. */
export interface RepositoryParts {
  readonly objectFormat: ObjectFormat
  readonly objects: string
  readonly attributes: string
  /** Where the history of a shallow clone ends. */
  readonly shallow: string
  /** What all its worktrees share. */
  readonly common: string
}

/** A repository of the person while somebody asks about it, so that git is asked each thing once. */
export interface OpenRepository extends Disposable {
  /** The folder that was opened, without links. */
  readonly folder: string
  /** The top of its repository. */
  readonly top: string
  /** Of the folder below the top: empty, or a path that ends with a slash. */
  readonly prefix: string
  /** Throws a sentence with what git says when it cannot read the repository. */
  parts(): Promise<RepositoryParts>
  /** By lower-case key; the strongest value of each. Empty when git cannot read them. */
  settings(): Promise<Settings>
  /** What git's raw format says of where the index differs from the last commit, below the folder. Fails before the first commit. */
  staged(): Promise<GitAnswer>
  readonly objects: ObjectReader
  readonly commits: CommitReader
  /** Asks git in the folder. */
  ask(...args: readonly string[]): Promise<GitAnswer>
}

/** Null where there is no repository. Runs no program of the repository, and writes nothing. */
export function openRepository(folder: string): OpenRepository | null {
  const real = realpathSync.native(folder)
  const top = repositoryOf(real)
  if (top === null) return null
  const inside = relative(top, real).split(sep).join('/')
  const ask = (...args: readonly string[]) => askRepository(top, args, { cwd: real })
  const objects = openObjectReader(top)
  let parts: Promise<RepositoryParts> | undefined
  let settings: Promise<Settings> | undefined
  let staged: Promise<GitAnswer> | undefined
  return {
    ...{ folder: real, top, prefix: inside === '' ? '' : `${inside}/`, objects, ask },
    commits: createCommitReader(objects),
    parts: () => (parts ??= ask(...placesOf).then((answer) => partsIn(answer, real))),
    settings: () => (settings ??= ask('config', '-z', '--show-scope', '--includes', '--list').then(settingsIn)),
    staged: () => (staged ??= ask(...listStaged)),
    [Symbol.dispose]: () => objects[Symbol.dispose](),
  }
}

const placesOf = [
  ...['rev-parse', '--show-object-format', '--git-path', 'objects', '--git-path', 'info/attributes'],
  ...['--git-path', 'shallow', '--git-common-dir'],
]

const listStaged = [
  ...['diff-index', '--cached', '--raw', '--no-renames', '--ignore-submodules=none', '--ita-visible-in-index'],
  ...['--relative', '-z', 'HEAD'],
]

function partsIn(answer: GitAnswer, folder: string): RepositoryParts {
  const [format, ...places] = answer.stdout.toString().split('\n')
  const [objects, attributes, shallow, common] = places.map((place) => resolve(folder, place))
  if (answer.status !== 0 || !objects || !attributes || !shallow || !common)
    throw new Error(gitFailed('Git cannot read the repository', answer))
  return { objectFormat: format === 'sha256' ? 'sha256' : 'sha1', objects, attributes, shallow, common }
}

/** Git prints the strongest value of a key last. */
function settingsIn(config: GitAnswer): Settings {
  const parts = partsOf(config)
  const settings = new Map<string, Setting>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const entry = parts[at + 1] ?? ''
    const end = entry.indexOf('\n')
    const [key, value] = end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]
    settings.set(key, { value, isPersonal: parts[at] === 'system' || parts[at] === 'global' })
  }
  return settings
}

/** As git reads a yes or no. False for what is not set. */
export function isOn(settings: Settings, key: string): boolean {
  return /^(true|yes|on|-?0*[1-9]\d*)$/i.test(settings.get(key)?.value ?? '')
}
