import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asHelper } from '../ends-with-app.ts'
import { lookAt } from '../look-at.ts'
import { textIfReadable } from '../read-bounded.ts'
import { systemProgram } from '../system-programs.ts'
import { gitEnvironment, mayAskGit } from './ask-git.ts'
import { pathsInIndex } from './git-index.ts'

/** Paths that git tracks below a folder. An ignore rule says nothing about them. */
export interface TrackedFiles {
  readonly files: ReadonlySet<VirtualPath>
  /** Those that hold one of the files, without the top. */
  readonly folders: ReadonlySet<VirtualPath>
  /** True for a tracked path, and for a folder that holds one. */
  has(path: VirtualPath, isDirectory: boolean): boolean
  /** True when git answered that it cannot read the index, so that ignore rules alone count. */
  readonly isUnreadable: boolean
}

/** An index that is not the one of the folder on disk but that of a view, in one piece. */
export interface OtherIndex {
  /** Equal as long as the index is the same. */
  readonly stamp: string
  read(): Uint8Array
}

const nothing: TrackedFiles = { files: new Set(), folders: new Set(), has: () => false, isUnreadable: false }
const unreadable: TrackedFiles = { ...nothing, isUnreadable: true }
// The app waits for the answer, so a git that hangs must not take long.
const timeoutMs = 3_000
const mostBytes = 512 * 1024 * 1024
const mostKnown = 16
const known = new Map<string, TrackedFiles>()

/** The nearest folder at or above this one that holds `.git`. Null when there is none. */
export function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder
  return dirname(folder) === folder ? null : repositoryOf(dirname(folder))
}

/**
 * The repository that a folder is a part of without being its top, as an absolute path. Null when git ignores the folder there,
 * as the repository of a home folder usually does.
 */
export function repositoryAbove(folder: string): string | null {
  const top = repositoryOf(folder)
  if (top === null || top === folder) return null
  const isRepository = askGit(folder, top, ['rev-parse', '--git-dir']).text !== null
  return isRepository && askGit(folder, top, ['check-ignore', '-q', '.']).text === null ? top : null
}

/**
 * What git tracks below a real folder. Git is asked once for each state of the index, also when it fails. Nothing is tracked
 * where there is no repository or no git, and where git cannot read the index.
 */
export function trackedFiles(folder: string, repository: string): TrackedFiles {
  const index = fileStamp(indexOf(repository))
  if (index === null) return nothing
  return remember(`${folder}\0${index}`, () => trackedOf(askGit(folder, repository, ['ls-files', '-z'])))
}

/** What an index of a view tracks. */
export function trackedInIndex(index: OtherIndex): TrackedFiles {
  return remember(`\0${index.stamp}`, () => {
    const paths = pathsInIndex(Buffer.from(index.read()))
    return paths === null ? unreadable : trackedPaths(paths)
  })
}

function remember(key: string, list: () => TrackedFiles): TrackedFiles {
  const found = known.get(key) ?? list()
  known.delete(key)
  known.set(key, found)
  for (const oldest of known.keys()) if (known.size > mostKnown) known.delete(oldest)
  return found
}

function trackedOf({ text, isRefused }: Answer): TrackedFiles {
  if (text === null) return isRefused ? unreadable : nothing
  return trackedPaths(text.split('\0').filter((name) => name !== ''))
}

/** Of paths as git has them. One that ends with a slash stands for all that is below it. */
function trackedPaths(names: readonly string[]): TrackedFiles {
  const files = new Set<VirtualPath>()
  const folders = new Set<VirtualPath>()
  const whole = new Set<VirtualPath>()
  for (const name of names) {
    const path = `/${name.replace(/\/$/, '')}` as VirtualPath
    const isWhole = name.endsWith('/')
    if (isWhole) whole.add(path)
    else files.add(path)
    for (const above of isWhole ? [path, ...ancestorsOf(path)] : ancestorsOf(path)) {
      if (folders.has(above)) break
      folders.add(above)
    }
  }
  const isInWhole = (path: VirtualPath) => whole.size > 0 && ancestorsOf(path).some((above) => whole.has(above))
  const has = (path: VirtualPath, isDirectory: boolean) =>
    files.has(path) || (isDirectory && folders.has(path)) || isInWhole(path)
  return { files, folders, has, isUnreadable: false }
}

/** An ignore file that belongs to no folder, and what is in it. */
export interface ExcludeFile {
  /** Absolute. */
  readonly file: string
  readonly text: string
}

const excludeFiles = new Map<string, { readonly stamp: string; readonly files: readonly string[] }>()

/**
 * The ignore files with rules that belong to no folder, the weakest first: the person's own and that of the repository.
 * Their rules begin at the top of the repository.
 */
export function readExcludes(repository: string): readonly ExcludeFile[] {
  const { HOME = homedir(), XDG_CONFIG_HOME = '' } = process.env
  const configs = join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git')
  const settings = [join(repository, '.git', 'config'), join(HOME, '.gitconfig'), join(configs, 'config')]
  const stamp = settings.map((file) => fileStamp(file) ?? '-').join('\n')
  const before = excludeFiles.get(repository)
  const files = before?.stamp === stamp ? before.files : findExcludeFiles(repository, join(configs, 'ignore'))
  excludeFiles.set(repository, { stamp, files })
  return files.flatMap((file) => {
    const text = textIfReadable(file, { most: mostOfIgnoreFile, cuts: true }) ?? ''
    return hasRule.test(text) ? { file, text } : []
  })
}

/** Git makes the file of a repository with comments alone. */
const hasRule = /^\s*[^#\s]/m

function findExcludeFiles(repository: string, usual: string): readonly string[] {
  const own = askGit(repository, repository, ['rev-parse', '--git-path', 'info/exclude']).text
  if (own === null) return [usual, join(repository, '.git', 'info', 'exclude')]
  const chosen = askGit(repository, repository, ['config', '--type=path', '-z', '--get', 'core.excludesFile']).text
  const personal = chosen ? chosen.replace(/\0$/, '') : usual
  return [personal, own.replace(/\n$/, '')].map((file) => resolve(repository, file))
}

interface Answer {
  /** Null when git is missing, slow or fails. */
  readonly text: string | null
  /** True when git itself said that it fails, or was not asked because it would wait without an end. */
  readonly isRefused: boolean
}

function askGit(folder: string, repository: string, args: readonly string[]): Answer {
  if (!mayAskGit(folder)) return { text: null, isRefused: true }
  const asked = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false', '-C', folder, ...args]
  const [program = '', ...words] = asHelper([systemProgram('git'), ...asked])
  const { status, stdout } = spawnSync(program, words, {
    encoding: 'utf8',
    env: gitEnvironment(repository),
    maxBuffer: mostBytes,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: timeoutMs,
  })
  return status === 0 ? { text: stdout, isRefused: false } : { text: null, isRefused: status !== null }
}

/** The index of a worktree lies in the repository that it belongs to. */
function indexOf(repository: string): string {
  const pointer = join(repository, '.git')
  if (lstatSync(pointer, { throwIfNoEntry: false })?.isDirectory()) return join(pointer, 'index')
  const target = /^gitdir: (.+)$/m.exec(textIfReadable(pointer) ?? '')?.[1]
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

/**
 * The text of a `.gitignore`, or of the longest beginning of one that rules are read from. Undefined where git reads
 * none: for no file, a link and whatever else is no file.
 */
export function textOfIgnoreFile(file: string): string | undefined {
  return lookAt(file) && textIfReadable(file, { most: mostOfIgnoreFile, follows: false, cuts: true })
}

/** In bytes. Rules are read from fewer characters, so that the rest of a longer file is noticed. */
export const mostOfIgnoreFile = 4 * 1024 * 1024
