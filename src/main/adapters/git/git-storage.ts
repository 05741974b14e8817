import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  GitStorage,
  StoredFile,
  StoredFiles,
  Uncommitted,
  WorkingFile,
  WorkingFiles,
} from '#core/ports/git-storage.ts'
import { lookAt } from '../system/look-at.ts'
import { blobId, convertFiles } from './convert-files.ts'
import { type OpenRepository, openRepository } from './open-repository.ts'
import { findSubmodules, type IndexFile, type RepositoryFacts, readFacts } from './repository-facts.ts'

export interface GitStorageOptions {
  /** Absolute. Null for a scratch workspace, which has no repository. */
  readonly rootFolder: string | null
  readonly temporaryFolder: string
  /** Whether programs that the project's repository names may run. */
  readonly trusts: () => boolean
  /** A repository that somebody has open already, by its folder. Absent, or null, for one to open. */
  readonly opened?: (repository: string) => OpenRepository | null
}

export function createGitStorage({ rootFolder, temporaryFolder, trusts, opened }: GitStorageOptions): GitStorage {
  return {
    async innerRepositories(paths) {
      if (rootFolder === null) return new Set()
      const folders = new Set(paths.flatMap(foldersOf))
      const inner = new Set([...folders].filter((folder) => lookAt(join(rootFolder, folder, '.git')) !== undefined))
      // A submodule that was not fetched has no `.git`.
      const submodules = folders.size > 0 ? await findSubmodules(rootFolder, folders) : []
      return new Set([...inner, ...submodules])
    },
    async store(working) {
      if (rootFolder === null) return null
      const { repository } = working
      const folder = join(rootFolder, repository)
      // A submodule that was not fetched is only an empty folder of the repository around it.
      if (repository !== '' && lookAt(join(folder, '.git')) === undefined) return null
      const known = opened?.(repository) ?? null
      using own = known ? null : openRepository(folder)
      const facts = await readFacts(known ?? own, pathsOf(working))
      if (facts === null) return null
      await mkdir(temporaryFolder, { recursive: true, mode: 0o700 })
      return storeIn(facts, working, { temporaryFolder, trusts: trusts() })
    },
  }
}

/** Paths below the folder of the repository. */
function pathsOf({ repository, before, after }: WorkingFiles): readonly string[] {
  const start = repository === '' ? 0 : repository.length + 1
  const named = [...before, ...after].flatMap(({ path, renamedFrom = path }) => [path, renamedFrom])
  return [...new Set(named.map((path) => path.slice(start)))]
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
}

async function storeIn(
  facts: RepositoryFacts,
  { repository, before, after, attributes }: WorkingFiles,
  options: { readonly temporaryFolder: string; readonly trusts: boolean },
): Promise<StoredFiles> {
  const below = repository === '' ? '' : `${repository}/`
  const names = createNames(below, facts.prefix)
  const convert = async (files: readonly WorkingFile[], texts: ReadonlyMap<string, Uint8Array>) => {
    const moved = files.map((file) => ({ ...file, path: names.toTop(file.path) }))
    const ofTop = new Map(
      [...texts].flatMap(([path, text]) => (path.startsWith(below) ? [[names.toTop(path), text]] : [])),
    )
    const found = await convertFiles({ ...options, facts, files: moved, attributes: ofTop })
    return new Map([...found].map(([path, stored]) => [names.toProject(path), stored]))
  }
  const indexed = (path: string) => facts.index.get(path.slice(below.length))
  const isAsStored = ({ path, bytes }: WorkingFile) => blobId(facts.objectFormat, bytes) === indexed(path)?.id
  const stored = {
    before: await convert(
      before.filter((file) => !isAsStored(file)),
      attributes.before,
    ),
    after: await convert(after, attributes.after),
  }
  return {
    before: withModes(facts, before, stored.before, indexed),
    after: withModes(facts, after, stored.after, indexed),
    prefix: facts.prefix,
    objectFormat: facts.objectFormat,
    uncommitted: facts.staged && uncommittedOf(facts, before, stored.before, after, below),
    problem: facts.problem,
  }
}

/** Paths of the project and of the repository's top. */
function createNames(below: string, prefix: string) {
  return {
    toTop: (path: string) => prefix + path.slice(below.length),
    toProject: (path: string) => below + path.slice(prefix.length),
  }
}

/**
 * Where the person's folder cannot say whether a file is executable (`core.fileMode`) or a link (`core.symlinks`), the index
 * does, also for a file that moved, and a new file is neither.
 */
function withModes(
  { settings }: RepositoryFacts,
  files: readonly WorkingFile[],
  stored: ReadonlyMap<string, StoredFile>,
  indexed: (path: string) => IndexFile | undefined,
): ReadonlyMap<string, StoredFile> {
  const isOff = (key: string) => /^(false|no|off|0)$/i.test(settings.get(key)?.value ?? '')
  const [noModes, noLinks] = [isOff('core.filemode'), isOff('core.symlinks')]
  const all = new Map(stored)
  for (const { path, mode: own, bytes, renamedFrom } of files) {
    const now = all.get(path) ?? ({ kind: 'content', mode: own, bytes } as const)
    if (now.kind === 'refused' || own === '120000') continue
    const before = (indexed(path) ?? (renamedFrom === undefined ? undefined : indexed(renamedFrom)))?.mode
    const mode = noModes ? (before === '100755' ? before : '100644') : own
    all.set(path, { ...now, mode: noLinks && before === '120000' ? before : mode })
  }
  return noModes || noLinks ? all : stored
}

/** What of the files that the patch starts from is in no commit. */
function uncommittedOf(
  { index, staged, objectFormat, problem }: RepositoryFacts,
  before: readonly WorkingFile[],
  stored: ReadonlyMap<string, StoredFile>,
  after: readonly WorkingFile[],
  below: string,
): ReadonlyMap<string, Uncommitted> {
  const found = new Map<string, Uncommitted>()
  if (problem !== null) return found
  const had = new Set(before.map(({ path }) => path))
  for (const { path, bytes } of before) {
    const name = path.slice(below.length)
    const entry = index.get(name)
    const own = stored.get(path)
    const id = own?.kind === 'refused' ? entry?.id : blobId(objectFormat, own?.bytes ?? bytes)
    if (!entry || entry.isIntended) found.set(path, 'untracked')
    else if (entry.isUnmerged) found.set(path, 'unmerged')
    else if (entry.id !== id) found.set(path, 'modified')
    else if (staged?.has(name)) found.set(path, 'staged')
  }
  for (const { path } of after) {
    const name = path.slice(below.length)
    if (!had.has(path) && (index.has(name) || staged?.has(name))) found.set(path, 'deleted')
  }
  return found
}
