import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { makeTemporary, removeMade } from './made-folders.ts'
import { systemProgram } from './system-programs.ts'

/** Paths that git tracks below a folder. An ignore rule says nothing about them. */
export interface TrackedFiles {
  readonly files: ReadonlySet<VirtualPath>
  /** Those that hold one of the files, without the top. */
  readonly folders: ReadonlySet<VirtualPath>
  /** True for a tracked path, and for a folder that holds one. */
  has(path: VirtualPath, isDirectory: boolean): boolean
}

/** An index that is not the one of the folder on disk, such as that of a view. */
export interface OtherIndex {
  /** Equal as long as the index is the same. */
  readonly stamp: string
  read(): Uint8Array
}

const nothing: TrackedFiles = { files: new Set(), folders: new Set(), has: () => false }
// The app waits for the answer, so a git that hangs must not take long.
const timeoutMs = 3_000
const mostBytes = 512 * 1024 * 1024
const mostKnown = 8
const mostOfExclude = 16 * 1024 * 1024
const known = new Map<string, TrackedFiles>()

/** The nearest folder at or above this one that holds `.git`. Null when there is none. */
export function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder
  return dirname(folder) === folder ? null : repositoryOf(dirname(folder))
}

/**
 * What git tracks below a real folder, by the repository's own index or by another one. Git is asked once for each state
 * of an index. Nothing is tracked where there is no repository or no git, and where git cannot read the index.
 */
export function trackedFiles(folder: string, repository: string, other?: OtherIndex): TrackedFiles {
  const index = other?.stamp ?? fileStamp(indexOf(repository))
  if (index === null) return nothing
  const key = `${folder}\0${index}`
  const found = known.get(key) ?? listTracked(folder, repository, other)
  if (found === null) return nothing
  known.delete(key)
  known.set(key, found)
  for (const oldest of known.keys()) if (known.size > mostKnown) known.delete(oldest)
  return found
}

/** Null when git did not answer, so that it is asked again. */
function listTracked(folder: string, repository: string, other: OtherIndex | undefined): TrackedFiles | null {
  if (!other) return trackedOf(askGit(folder, repository, ['ls-files', '-z']))
  // Programs may still write to the index of a view, so git reads a copy.
  const place = makeTemporary('index')
  try {
    writeFileSync(join(place, 'index'), other.read())
    return trackedOf(askGit(folder, repository, ['ls-files', '-z'], join(place, 'index')))
  } catch {
    return null
  } finally {
    // What cannot be removed goes with the next sweep.
    void removeMade(place).catch(() => undefined)
  }
}

function trackedOf(answer: string | null): TrackedFiles | null {
  if (answer === null) return null
  const files = new Set<VirtualPath>()
  const folders = new Set<VirtualPath>()
  for (const name of answer.split('\0')) {
    if (name === '') continue
    const path = `/${name}` as VirtualPath
    files.add(path)
    for (const above of ancestorsOf(path)) {
      if (folders.has(above)) break
      folders.add(above)
    }
  }
  return { files, folders, has: (path, isDirectory) => files.has(path) || (isDirectory && folders.has(path)) }
}

const excludeFiles = new Map<string, { readonly stamp: string; readonly files: readonly string[] }>()

/**
 * The texts of the ignore files that belong to no folder, the weakest first: the person's own and that of the repository.
 * Their rules begin at the top of the repository.
 */
export function excludeTexts(repository: string): readonly string[] {
  const { HOME = homedir(), XDG_CONFIG_HOME = '' } = process.env
  const configs = join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git')
  const settings = [join(repository, '.git', 'config'), join(HOME, '.gitconfig'), join(configs, 'config')]
  const stamp = settings.map((file) => fileStamp(file) ?? '-').join('\n')
  const before = excludeFiles.get(repository)
  const files = before?.stamp === stamp ? before.files : findExcludeFiles(repository, join(configs, 'ignore'))
  excludeFiles.set(repository, { stamp, files })
  return files.flatMap((file) => textOf(file) ?? [])
}

function findExcludeFiles(repository: string, usual: string): readonly string[] {
  const own = askGit(repository, repository, ['rev-parse', '--git-path', 'info/exclude'])
  if (own === null) return [usual, join(repository, '.git', 'info', 'exclude')]
  const chosen = askGit(repository, repository, ['config', '--type=path', '-z', '--get', 'core.excludesFile'])
  const personal = chosen ? chosen.replace(/\0$/, '') : usual
  return [personal, own.replace(/\n$/, '')].map((file) => resolve(repository, file))
}

/** Null when git is missing or fails. The environment leads it to no other repository. */
function askGit(folder: string, repository: string, args: readonly string[], index?: string): string | null {
  const { PATH, HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM } = process.env
  const kept = { PATH, HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM }
  const { status, stdout } = spawnSync(
    systemProgram('git'),
    ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false', '-C', folder, ...args],
    {
      encoding: 'utf8',
      env: {
        ...kept,
        ...{ LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_CEILING_DIRECTORIES: dirname(repository) },
        ...(index !== undefined && { GIT_INDEX_FILE: index }),
      },
      maxBuffer: mostBytes,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: timeoutMs,
    },
  )
  return status === 0 ? stdout : null
}

/** The index of a worktree lies in the repository that it belongs to. */
function indexOf(repository: string): string {
  const pointer = join(repository, '.git')
  if (lstatSync(pointer, { throwIfNoEntry: false })?.isDirectory()) return join(pointer, 'index')
  const target = /^gitdir: (.+)$/m.exec(textOf(pointer) ?? '')?.[1]
  return join(target === undefined ? pointer : resolve(repository, target), 'index')
}

/** Equal as long as a file is the same. Null for no file. */
export function fileStamp(file: string): string | null {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file)
    return `${file} ${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
  } catch {
    return null
  }
}

function textOf(file: string): string | undefined {
  try {
    const stats = statSync(file)
    return stats.isFile() && stats.size <= mostOfExclude ? readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}
