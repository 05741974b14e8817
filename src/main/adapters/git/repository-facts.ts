import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import type { ObjectFormat } from '#core/ports/git-storage.ts'
import { gitEnvironment } from '../system/git/ask-git.ts'
import { repositoryAbove, repositoryOf } from '../system/git/tracked-files.ts'
import { type GitAnswer, type GitCall, runGit } from './run-git.ts'

/** What git has in the index at a path. */
export interface IndexFile {
  /** In octal, as git prints it. */
  readonly mode: string
  /** Object id. */
  readonly id: string
  /** True for a merge that a person has not finished. */
  readonly isUnmerged: boolean
  /** True for a path that a person only said they would add (`git add -N`): nothing of its content is there. */
  readonly isIntended?: true
}

/** A value of git's settings, and whether the person set it for more than this repository. */
export interface Setting {
  readonly value: string
  readonly isPersonal: boolean
}

/** What git says of the repository around a folder. */
export interface RepositoryFacts {
  /** Absolute path of its top. */
  readonly top: string
  /** Of the folder below the top: empty, or a path that ends with a slash. */
  readonly prefix: string
  readonly objectFormat: ObjectFormat
  /** Absolute paths. */
  readonly objects: string
  readonly attributeFiles: readonly string[]
  /** Of line ends, modes and filters, by lower-case key. */
  readonly settings: ReadonlyMap<string, Setting>
  /** Of the paths that were asked about, relative to the folder. */
  readonly index: ReadonlyMap<string, IndexFile>
  /** What is staged: the letter of git's raw format by path. Null before the first commit. */
  readonly staged: ReadonlyMap<string, string> | null
  /** Why git cannot read the index, in its words. Null when it can. */
  readonly problem: string | null
}

const wanted = '^(core\\.(autocrlf|eol|filemode|symlinks|attributesfile)|filter\\..*\\.(clean|process))$'

const emptyFiles = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
])
const listIntended = ['diff-files', '--diff-filter=A', '--name-only', '--relative', '-z', '--']

/** Null where there is no repository or no git, and in a folder that the repository ignores. Runs no program of the repository, and writes nothing. */
export async function readRepository(folder: string, paths: ReadonlySet<string>): Promise<RepositoryFacts | null> {
  const real = realpathSync.native(folder)
  const top = repositoryOf(real)
  if (top === null || (top !== real && repositoryAbove(real) === null)) return null
  const ask = (...args: readonly string[]) => askRepository(top, args, { cwd: real })
  const [places, config, files, staged] = await Promise.all([
    ask('rev-parse', '--show-object-format', '--git-path', 'objects', '--git-path', 'info/attributes'),
    ask('config', '-z', '--show-scope', '--includes', '--get-regexp', wanted),
    ask('ls-files', '-s', '-z'),
    ask('diff-index', '--cached', '--raw', '--no-renames', '--relative', '-z', 'HEAD'),
  ])
  const [format, objects, attributes] = linesOf(places)
  if (places.status !== 0 || objects === undefined || attributes === undefined) return null
  const settings = settingsIn(config)
  const index = indexIn(files, paths)
  // Such a path stands in the index as an empty file.
  const empty = [...index].flatMap(([path, { id }]) => (emptyFiles.has(id) ? [path] : []))
  const intended =
    empty.length === 0 ? [] : partsOf(await ask(...listIntended, ...empty.map((path) => `:(literal)${path}`)))
  const inside = relative(top, real).split(sep).join('/')
  return {
    top,
    prefix: inside === '' ? '' : `${inside}/`,
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
    objects: resolve(real, objects),
    attributeFiles: [personalAttributes(settings, real), resolve(real, attributes)],
    settings,
    index: new Map([
      ...index,
      ...intended.flatMap((path) => {
        const file = index.get(path)
        return file ? [[path, { ...file, isIntended: true }] as const] : []
      }),
    ]),
    staged: staged.status === 0 ? stagedIn(staged) : null,
    problem: files.status === 0 ? null : files.said || 'git did not answer',
  }
}

/** Git's mode of an entry of the index that is another repository. */
const repositoryMode = '160000'

/** Those of the folders that the index of the repository around `folder` has as submodules. Paths are relative to it. */
export async function findSubmodules(folder: string, among: ReadonlySet<string>): Promise<readonly string[]> {
  const real = realpathSync.native(folder)
  const top = repositoryOf(real)
  // Without this file git fetches none, and a large index is not read for nothing.
  if (top === null || !existsSync(join(top, '.gitmodules'))) return []
  const index = indexIn(await askRepository(top, ['ls-files', '-s', '-z'], { cwd: real }), among)
  return [...index].flatMap(([path, { mode }]) => (mode === repositoryMode ? [path] : []))
}

/** Asks git about a repository, without the programs that its settings name for questions. */
export function askRepository(
  top: string,
  args: readonly string[],
  { env = {}, ...call }: Omit<GitCall, 'env'> & { readonly env?: NodeJS.ProcessEnv },
): Promise<GitAnswer> {
  const own = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false']
  return runGit([...own, ...args], { ...call, env: { ...gitEnvironment(top), ...env } })
}

/** Root works in folders of others as they would, so that they can go on there. Undefined for everybody else. */
export function ownerOf(top: string): { readonly uid: number; readonly gid: number } | undefined {
  const { uid, gid } = statSync(existsSync(join(top, '.git')) ? join(top, '.git') : top)
  return process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined
}

function linesOf({ stdout }: GitAnswer): readonly string[] {
  return stdout.toString().split('\n')
}

export function partsOf({ stdout }: GitAnswer): readonly string[] {
  return stdout.toString().split('\0').slice(0, -1)
}

/** Git prints the strongest value of a key last. */
function settingsIn(config: GitAnswer): ReadonlyMap<string, Setting> {
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

function personalAttributes(settings: ReadonlyMap<string, Setting>, folder: string): string {
  const { HOME = homedir(), XDG_CONFIG_HOME = '' } = process.env
  const chosen = settings.get('core.attributesfile')?.value
  if (chosen === undefined) return join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git/attributes')
  return chosen.startsWith('~/') ? join(HOME, chosen.slice(2)) : resolve(folder, chosen)
}

function indexIn(files: GitAnswer, wanted: ReadonlySet<string>): ReadonlyMap<string, IndexFile> {
  const index = new Map<string, IndexFile>()
  if (files.status !== 0) return index
  for (const line of partsOf(files)) {
    if (!wanted.has(line.slice(line.indexOf('\t') + 1))) continue
    const [, mode = '', id = '', stage, path = ''] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? []
    index.set(path, { mode, id, isUnmerged: stage !== '0' })
  }
  return index
}

function stagedIn(staged: GitAnswer): ReadonlyMap<string, string> {
  const parts = partsOf(staged)
  const found = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) found.set(parts[at + 1] ?? '', (parts[at] ?? '').slice(-1))
  return found
}
