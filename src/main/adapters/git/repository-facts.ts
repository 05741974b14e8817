import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ObjectFormat } from '#core/ports/git-storage.ts'
import { repositoryAbove } from '../system/git/tracked-files.ts'
import { partsOf } from './ask-repository.ts'
import { type OpenRepository, openRepository, type Settings } from './open-repository.ts'
import type { GitAnswer } from './run-git.ts'

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
  readonly settings: Settings
  /** Of the paths that were asked about, relative to the folder. */
  readonly index: ReadonlyMap<string, IndexFile>
  /** What differs from the last commit. Null for a path that is gone, or before the first commit. */
  readonly staged: ReadonlyMap<string, IndexFile | null> | null
  /** Why git cannot read the index, in its words. Null when it can. */
  readonly problem: string | null
}

/** `paths` are relative to the folder. Null for no repository, in a folder that its repository ignores, and where git cannot read it. */
export async function readFacts(
  repository: OpenRepository | null,
  paths: readonly string[],
): Promise<RepositoryFacts | null> {
  if (repository === null) return null
  const { top, folder, prefix } = repository
  if (top !== folder && repositoryAbove(folder) === null) return null
  const asked = Promise.all([repository.parts(), repository.settings(), readIndex(repository, paths)])
  const found = await asked.catch(() => null)
  if (found === null) return null
  const [{ objectFormat, objects, attributes }, settings, index] = found
  const attributeFiles = [personalAttributes(settings, folder), attributes]
  return { top, prefix, objectFormat, objects, attributeFiles, settings, ...index }
}

type Index = Pick<RepositoryFacts, 'index' | 'staged' | 'problem'>

/** An index is often large, so git says where it differs from the last commit, and the commit says the rest. */
async function readIndex(repository: OpenRepository, paths: readonly string[]): Promise<Index> {
  const [answer, committed] = await Promise.all([repository.staged(), readCommitted(repository, paths)])
  const staged = answer.status === 0 ? stagedIn(answer) : null
  if (staged === null || committed === null) return readWholeIndex(repository, paths, staged)
  const index = new Map<string, IndexFile>()
  for (const path of paths) {
    const entry = staged.has(path) ? staged.get(path) : committed.get(path)
    if (entry) index.set(path, entry)
  }
  return { index: await withIntended(repository, index), staged, problem: null }
}

/** Before the first commit, and in a clone that has not all of it. */
async function readWholeIndex(
  repository: OpenRepository,
  paths: readonly string[],
  staged: RepositoryFacts['staged'],
): Promise<Index> {
  const files = await repository.ask('ls-files', '-s', '-z')
  const index = await withIntended(repository, indexIn(files, new Set(paths)))
  return { index, staged, problem: files.status === 0 ? null : files.said || 'git did not answer' }
}

/** What the last commit has. Null where there is none, or not all of it. */
async function readCommitted(
  { commits, prefix }: OpenRepository,
  paths: readonly string[],
): Promise<ReadonlyMap<string, IndexFile> | null> {
  const found = await commits
    .filesAt(
      'HEAD',
      paths.map((path) => prefix + path),
    )
    .catch(() => null)
  return found && new Map([...found].map(([path, file]) => [path.slice(prefix.length), { ...file, isUnmerged: false }]))
}

const emptyFiles = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
])
const listIntended = ['diff-files', '--diff-filter=A', '--name-only', '--relative', '-z', '--']

/** Such a path stands in the index as an empty file. */
async function withIntended({ ask }: OpenRepository, index: Index['index']): Promise<Index['index']> {
  const empty = [...index].flatMap(([path, { id }]) => (emptyFiles.has(id) ? [`:(literal)${path}`] : []))
  const intended = empty.length === 0 ? [] : partsOf(await ask(...listIntended, ...empty))
  const marked = intended.flatMap((path) => {
    const file = index.get(path)
    return file ? [[path, { ...file, isIntended: true }] as const] : []
  })
  return new Map([...index, ...marked])
}

/** Git's mode of an entry of the index that is another repository. */
const repositoryMode = '160000'

/** Those of the folders that the index of the repository around `folder` has as submodules. Paths are relative to it. */
export async function findSubmodules(folder: string, among: ReadonlySet<string>): Promise<readonly string[]> {
  using repository = openRepository(folder)
  // Without this file git fetches none, and a large index is not read for nothing.
  if (repository === null || !existsSync(join(repository.top, '.gitmodules'))) return []
  const index = indexIn(await repository.ask('ls-files', '-s', '-z'), among)
  return [...index].flatMap(([path, { mode }]) => (mode === repositoryMode ? [path] : []))
}

function personalAttributes(settings: Settings, folder: string): string {
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

/** Null for a path that the index has not any more. */
function stagedIn(answer: GitAnswer): ReadonlyMap<string, IndexFile | null> {
  const parts = partsOf(answer)
  const found = new Map<string, IndexFile | null>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = '', , id = '', kind = ''] = (parts[at] ?? '').split(' ')
    found.set(parts[at + 1] ?? '', kind === 'D' ? null : { mode, id, isUnmerged: kind === 'U' })
  }
  return found
}
