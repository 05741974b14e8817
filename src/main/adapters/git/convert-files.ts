import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ObjectFormat, StoredFile, WorkingFile } from '#core/ports/git-storage.ts'
import { readBounded } from '../system/read-bounded.ts'
import { askRepository, partsOf } from './ask-repository.ts'
import { lfsPointer, pointerTo } from './lfs-pointer.ts'
import type { Setting } from './open-repository.ts'
import type { RepositoryFacts } from './repository-facts.ts'
import { type GitAnswer, runGit } from './run-git.ts'

/** What one side of a patch needs. Paths are relative to the top of the repository. */
export interface Conversion {
  readonly facts: RepositoryFacts
  readonly files: readonly WorkingFile[]
  /** The texts of `.gitattributes` by path. */
  readonly attributes: ReadonlyMap<string, Uint8Array>
  /** A private folder that exists. */
  readonly temporaryFolder: string
  /** Whether programs that this repository alone names may run. */
  readonly trusts: boolean
}

const filterTimeoutMs = 10_000

/**
 * How git would store files, where that differs from what they are: line ends, encodings, `$Id$` and filters. Git itself
 * decides, in a repository of its own with the settings and attributes of the real one, so that no program of either
 * takes part. A filter is the exception: it is a program. That of git LFS is done here. Another one runs only as `git add`
 * would run it in the real folder, never because an agent wrote attributes.
 */
export async function convertFiles(conversion: Conversion): Promise<ReadonlyMap<string, StoredFile>> {
  const { facts, files, attributes } = conversion
  const isEmpty = !/^(true|input)$/i.test(settingOf(facts, 'core.autocrlf') ?? '') && !hasAttributes(facts, attributes)
  if (isEmpty || files.length === 0) return new Map()
  const folder = await mkdtemp(join(conversion.temporaryFolder, 'stored-files-'))
  try {
    return await convertIn(await openScratch(folder, conversion), conversion)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Git's object id of a file's bytes. */
export function blobId(format: ObjectFormat, bytes: Uint8Array): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

function settingOf({ settings }: RepositoryFacts, key: string): string | undefined {
  return settings.get(key)?.value
}

function hasAttributes(facts: RepositoryFacts, attributes: Conversion['attributes']): boolean {
  const elsewhere = [...facts.attributeFiles, '/etc/gitattributes'].some((file) => existsSync(file))
  return elsewhere || attributes.size > 0 || attributesAbove(facts).length > 0
}

/** Those of the repository's folders above the project. */
function attributesAbove({ top, prefix }: RepositoryFacts): readonly (readonly [string, Uint8Array])[] {
  const names = prefix.split('/').slice(0, -1)
  return names.flatMap((_, depth) => {
    const path = [...names.slice(0, depth), '.gitattributes'].join('/')
    const text = fileWithAttributes(join(top, path))
    return text === undefined ? [] : [[path, text] as const]
  })
}

type Git = (args: readonly string[], input?: Uint8Array | string) => Promise<GitAnswer>

interface Scratch {
  readonly work: string
  readonly git: Git
  /**
   * Copies these blobs from the real repository, as far as it has them. When git would write an object that exists, it
   * renews the time of the existing one, so no git that writes may see the real repository's objects.
   */
  readonly lend: (ids: readonly string[]) => Promise<void>
}

/** A repository that has the settings of line ends of the real one and the attributes, and nothing else. */
async function openScratch(folder: string, { facts, attributes }: Conversion): Promise<Scratch> {
  const work = join(folder, 'work')
  await mkdir(work)
  const settings = ['core.autocrlf', 'core.eol'].flatMap((key) => {
    const value = settingOf(facts, key)
    return value === undefined ? [] : ['-c', `${key}=${value}`]
  })
  const personal = ['-c', `core.attributesFile=${facts.attributeFiles[0] ?? ''}`]
  const fixed = ['-c', 'core.safecrlf=false', '-c', 'core.fileMode=true', '-c', 'core.fsmonitor=false']
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_CONFIG_GLOBAL: join(folder, 'no-config'), GIT_CEILING_DIRECTORIES: folder },
  }
  const run = (args: readonly string[], input?: Uint8Array | string, more: NodeJS.ProcessEnv = {}) => {
    const call = { cwd: work, env: { ...env, ...more }, ...(input !== undefined && { input }) }
    return runGit([...settings, ...personal, ...fixed, ...args], call)
  }
  const git: Git = (args, input) => run(args, input)
  await git(['init', '-q', '--template=', ...(facts.objectFormat === 'sha1' ? [] : ['--object-format=sha256'])])
  await mkdir(join(work, '.git/info'), { recursive: true })
  const own = fileWithAttributes(facts.attributeFiles[1], true)
  if (own !== undefined) await writeFile(join(work, '.git/info/attributes'), own)
  for (const [path, text] of [...attributesAbove(facts), ...attributes]) await place(work, path, text)
  const lend = async (ids: readonly string[]) => {
    const real = { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(facts.objects) }
    const { stdout } = await run(['cat-file', '--batch'], ids.map((id) => `${id}\n`).join(''), real)
    const parts = blobsIn(stdout).flatMap((bytes) => [Buffer.from(`blob\ndata ${bytes.length}\n`), bytes, newline])
    if (parts.length > 0) await git(['fast-import', '--quiet'], Buffer.concat(parts))
  }
  return { work, git, lend }
}

const newline = Buffer.from('\n')

/** What `git cat-file --batch` prints, without the objects that are missing. */
function blobsIn(stdout: Buffer): readonly Buffer[] {
  const found: Buffer[] = []
  for (let at = 0, end = stdout.indexOf(newline); end >= 0; end = stdout.indexOf(newline, at)) {
    const size = Number(stdout.toString('latin1', at, end).split(' ')[2] ?? Number.NaN)
    at = end + 1
    if (Number.isNaN(size)) continue
    found.push(stdout.subarray(at, at + size))
    at += size + 1
  }
  return found
}

async function convertIn(
  { work, git, lend }: Scratch,
  conversion: Conversion,
): Promise<ReadonlyMap<string, StoredFile>> {
  const { facts, files } = conversion
  const found = new Map<string, StoredFile>()
  const attributes = attributesIn(await git(['check-attr', '-z', '--stdin', ...asked], pathsOf(files)))
  const converted: WorkingFile[] = []
  for (const file of files) {
    const { path, mode, bytes, large } = file
    if (mode === '120000') continue
    const own = attributes.get(path)
    const filter = filterOf(facts, own?.get('filter'))
    if (filter === 'lfs')
      found.set(path, { kind: 'pointer', mode, bytes: large ? pointerTo(large) : lfsPointer(bytes) })
    else if (filter !== null) found.set(path, await runFilter(conversion, file, filter))
    else if (!large && mayConvert(bytes, own)) converted.push(file)
  }
  for (const { path, bytes } of converted) await place(work, path, bytes)
  const primed = converted.flatMap(({ path }) => {
    const before = facts.index.get(path.slice(facts.prefix.length))
    return before && !before.isUnmerged ? [{ ...before, path }] : []
  })
  await lend(primed.map(({ id }) => id))
  // Git leaves line ends alone in a file that has them in the index.
  await git(
    ['update-index', '-z', '--index-info'],
    primed.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join(''),
  )
  const added = await git(['update-index', '--add', '--replace', '-z', '--stdin'], pathsOf(converted))
  if (added.status !== 0) return new Map([...found, ...(await addOneByOne(git, facts.objectFormat, converted))])
  return new Map([...found, ...(await changedIn(git, facts.objectFormat, converted))])
}

const asked = ['filter', 'ident', 'working-tree-encoding']

function mayConvert(bytes: Uint8Array, attributes: ReadonlyMap<string, string> | undefined): boolean {
  const isSet = (name: string) => !/^(unspecified|unset)$/.test(attributes?.get(name) ?? 'unset')
  return bytes.includes(13) || isSet('ident') || isSet('working-tree-encoding')
}

/** A file that git cannot store, such as one in another encoding than the attributes say, stands in nobody's way. */
async function addOneByOne(
  git: Git,
  format: ObjectFormat,
  files: readonly WorkingFile[],
): Promise<ReadonlyMap<string, StoredFile>> {
  const found = new Map<string, StoredFile>()
  for (const file of files) {
    const { status, said } = await git(['update-index', '--add', '--replace', '-z', '--stdin'], pathsOf([file]))
    if (status !== 0) found.set(file.path, { kind: 'refused', why: `Git cannot store it: ${said}.` })
  }
  const fitting = files.filter(({ path }) => !found.has(path))
  return new Map([...found, ...(await changedIn(git, format, fitting))])
}

/** The files whose stored bytes are others. */
async function changedIn(
  git: Git,
  format: ObjectFormat,
  files: readonly WorkingFile[],
): Promise<ReadonlyMap<string, StoredFile>> {
  const wanted = new Map(files.map((file) => [file.path, file]))
  const ids: { readonly file: WorkingFile; readonly id: string }[] = []
  for (const line of partsOf(await git(['ls-files', '-s', '-z']))) {
    const [, id = '', path = ''] = /^\d+ ([0-9a-f]+) 0\t(.*)$/s.exec(line) ?? []
    const file = wanted.get(path)
    if (file && id !== blobId(format, file.bytes)) ids.push({ file, id })
  }
  const { stdout } = await git(['cat-file', '--batch'], ids.map(({ id }) => `${id}\n`).join(''))
  const found = new Map<string, StoredFile>()
  for (const [index, bytes] of blobsIn(stdout).entries()) {
    const file = ids[index]?.file
    if (file) found.set(file.path, { kind: 'content', mode: file.mode, bytes })
  }
  return found
}

/** The name of a filter that has a program to store files. Git leaves files alone for any other. */
function filterOf({ settings }: RepositoryFacts, name: string | undefined): string | null {
  if (name === undefined || /^(unspecified|unset|set)$/.test(name)) return null
  return programsOf(settings, name).length === 0 ? null : name
}

function programsOf(settings: RepositoryFacts['settings'], name: string): readonly Setting[] {
  return ['clean', 'process'].flatMap((kind) => settings.get(`filter.${name}.${kind}`) ?? [])
}

async function runFilter(
  { facts, trusts, temporaryFolder }: Conversion,
  { path, mode, bytes, large }: WorkingFile,
  name: string,
): Promise<StoredFile> {
  const refused = (why: string): StoredFile => ({
    kind: 'refused',
    why: `Git stores it through the filter “${name}”, ${why}. Applying writes the file as it is.`,
  })
  if (large) return refused('and it is too large for that')
  if (!trusts && !programsOf(facts.settings, name).every(({ isPersonal }) => isPersonal))
    return refused('a program that only this repository names and that runs only in a folder that you trust')
  const { top } = facts
  const now = attributesIn(
    await askRepository(top, ['check-attr', '-z', '--stdin', 'filter'], { cwd: top, input: `${path}\0` }),
  )
  if (now.get(path)?.get('filter') !== name) return refused('which the attributes in your folder do not name for it')
  const objects = await mkdtemp(join(temporaryFolder, 'filtered-'))
  try {
    const env = { GIT_OBJECT_DIRECTORY: objects }
    const options = { cwd: top, env, timeoutMs: filterTimeoutMs }
    const made = await askRepository(top, ['hash-object', '-w', '--stdin', `--path=${path}`], {
      ...options,
      input: bytes,
    })
    if (made.status !== 0) return refused(`which failed: ${made.said || 'it took too long'}`)
    const id = made.stdout.toString().trim()
    const stored = await askRepository(top, ['cat-file', 'blob', id], options)
    return stored.status === 0 ? { kind: 'content', mode, bytes: stored.stdout } : refused('which failed')
  } finally {
    await rm(objects, { recursive: true, force: true })
  }
}

/** What `git check-attr -z` prints, by path and attribute. */
function attributesIn(answer: GitAnswer): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const parts = partsOf(answer)
  const found = new Map<string, Map<string, string>>()
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const path = parts[at] ?? ''
    const own = found.get(path) ?? new Map<string, string>()
    found.set(path, own.set(parts[at + 1] ?? '', parts[at + 2] ?? ''))
  }
  return found
}

function pathsOf(files: readonly WorkingFile[]): string {
  return files.map(({ path }) => `${path}\0`).join('')
}

/** Undefined for no file. Of the files in a worktree, git reads attributes from no link. */
function fileWithAttributes(file: string | undefined, follows = false): Buffer | undefined {
  try {
    return file === undefined ? undefined : readBounded(file, { follows })
  } catch {
    return undefined
  }
}

async function place(work: string, path: string, bytes: Uint8Array): Promise<void> {
  const parts = path.split('/')
  if (parts.includes('..') || parts.some((part) => part.toLowerCase() === '.git')) return
  const target = join(work, path)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, bytes, { mode: 0o600 })
}
