import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MadeCommit } from '#shared/model/calls/outcome.ts'
import { joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asHelper } from '../../system/ends-with-app.ts'
import { lookAt } from '../../system/look-at.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import { systemProgram } from '../../system/system-programs.ts'
import type { Layer } from '../layers/layer-store.ts'
import type { MountBase } from '../mount-base.ts'
import { filesOfBase, filesOfView, type GitFiles } from './git-files.ts'
import { gitFolderOf } from './view-indexes.ts'

const timeoutMs = 5_000
/** Of one repository. What agents make is less. */
const mostCommits = 200
const mostBytes = 16 * 1024 * 1024

/**
 * The commits and stashes that a view with these layers has and the person's repositories have not: what agents left in git
 * alone. Only files of references are read here; git itself lists the commits, in a repository of its own that has nothing
 * but the objects, because agents may have written settings that name programs.
 */
export async function findOwnCommits(
  layers: readonly Layer[],
  base: MountBase,
  rootFolder: string | null,
  linkedObjects: readonly string[],
): Promise<readonly MadeCommit[]> {
  const below = filesOfBase(base)
  const shown = filesOfView(layers, below)
  const found: MadeCommit[] = []
  for (const [folder, repository] of gitFolders(layers, shown, rootFolder)) {
    const objects = objectsOf(folder, layers, rootFolder, linkedObjects)
    const commits = await commitsIn({ folder, repository, shown, below, objects })
    found.push(...stashesIn(folder, repository, shown, below), ...commits)
  }
  return found
}

/** The folders with objects of the repository with these files. Empty for one that commands wrote nothing to. */
export function findObjectFolders(
  repository: VirtualPath,
  layers: readonly Layer[],
  base: MountBase,
  rootFolder: string | null,
  linkedObjects: readonly string[],
): readonly string[] {
  const shown = filesOfView(layers, filesOfBase(base))
  const found = [...gitFolders(layers, shown, rootFolder)].find(([, files]) => files === repository)
  if (!found) return []
  return objectsOf(found[0], layers, rootFolder, linkedObjects).filter((folder) => lookAt(folder)?.isDirectory())
}

function objectsOf(
  folder: VirtualPath,
  layers: readonly Layer[],
  rootFolder: string | null,
  linkedObjects: readonly string[],
): readonly string[] {
  const own = layers.map(({ files }) => join(files, folder, 'objects'))
  return [...own, ...(rootFolder === null ? [] : [join(rootFolder, folder, 'objects')]), ...linkedObjects]
}

/**
 * The folders of git that commands wrote to, each with the folder of its files: that of the project, and those of repositories in
 * it, whatever form they have.
 */
function gitFolders(
  layers: readonly Layer[],
  shown: GitFiles,
  rootFolder: string | null,
): ReadonlyMap<VirtualPath, VirtualPath> {
  const folders = new Map<VirtualPath, VirtualPath>()
  const modules = (folder: VirtualPath): readonly VirtualPath[] =>
    shown.names(folder).flatMap((name) => {
      const path = joinPath(folder, name)
      return shown.text(joinPath(path, 'HEAD')) === undefined ? modules(path) : [path]
    })
  for (const { path } of layers.flatMap(({ units }) => units)) {
    const git = /^.*?\/\.git(?=\/|$)/.exec(path)?.[0] as VirtualPath | undefined
    if (git === undefined || folders.has(git)) continue
    const top = parentOf(git)
    const folder = gitFolderOf(top, shown, rootFolder === null ? [] : [rootFolder]) ?? git
    // A worktree has its commits in the repository that it belongs to.
    if (shown.text(joinPath(folder, 'commondir')) !== undefined) continue
    folders.set(folder, top)
    const below = joinPath(folder, 'modules')
    for (const one of modules(below))
      if (!folders.has(one)) folders.set(one, joinPath(top, one.slice(below.length + 1)))
  }
  return folders
}

const idLine = /^[0-9a-f]{40,64}$/

/** Object ids by the name of the reference, as git has it. A HEAD that names a branch is none. */
function referencesIn(folder: VirtualPath, files: GitFiles): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of (files.text(joinPath(folder, 'packed-refs')) ?? '').split('\n')) {
    const [, id, name] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? []
    if (id && name) found.set(name, id)
  }
  const walk = (path: VirtualPath): void => {
    for (const name of new Set(files.names(path))) {
      const below = joinPath(path, name)
      const line = files.text(below)?.trimEnd()
      if (line === undefined) walk(below)
      else if (idLine.test(line)) found.set(below.slice(folder.length + 1), line)
    }
  }
  walk(joinPath(folder, 'refs'))
  // Each worktree has its own.
  const worktrees = files.names(joinPath(folder, 'worktrees')).map((name) => `worktrees/${name}/`)
  for (const place of ['', ...worktrees]) {
    const head = files.text(joinPath(folder, `${place}HEAD`))?.trimEnd()
    if (head !== undefined && idLine.test(head)) found.set(`${place}HEAD`, head)
  }
  return found
}

interface Searched {
  /** Of git. */
  readonly folder: VirtualPath
  /** Of the files. */
  readonly repository: VirtualPath
  readonly shown: GitFiles
  readonly below: GitFiles
  /** Folders with objects. */
  readonly objects: readonly string[]
}

async function commitsIn({ folder, repository, shown, below, objects }: Searched): Promise<readonly MadeCommit[]> {
  const [now, before] = [referencesIn(folder, shown), referencesIn(folder, below)]
  const known = new Set([...before.values(), ...[...now].flatMap(([name, id]) => (isRemote(name) ? [id] : []))])
  const tips = [...now].filter(([name, id]) => !isRemote(name) && name !== 'refs/stash' && !known.has(id))
  if (tips.length === 0) return []
  const input = [...tips.map(([, id]) => id), ...[...known].map((id) => `^${id}`)].join('\n')
  const shallow = shown.text(joinPath(folder, 'shallow'))
  const text = await logOf(input, objects, shallow, tips[0]?.[1].length === 64)
  const names = new Map(tips.map(([name, id]) => [id, name.replace(/^refs\/(heads|tags)\//, '')]))
  return text.split('\n').flatMap((line): MadeCommit[] => {
    const [id = '', source = '', ...subject] = line.split(' ')
    return id === ''
      ? []
      : [{ kind: 'commit', repository, branch: names.get(source) ?? 'HEAD', id, subject: subject.join(' ') }]
  })
}

function isRemote(name: string): boolean {
  return name.startsWith('refs/remotes/')
}

async function logOf(
  input: string,
  objects: readonly string[],
  shallow: string | undefined,
  isSha256: boolean,
): Promise<string> {
  const place = makeTemporary('commits')
  try {
    const git = (...args: readonly string[]) => {
      const asked = ['--git-dir', join(place, 'git'), '-c', 'safe.directory=*', ...args]
      const [program = '', ...words] = asHelper([systemProgram('git'), ...asked])
      return spawnSync(program, words, {
        ...{ cwd: place, encoding: 'utf8', input, timeout: timeoutMs, maxBuffer: mostBytes },
        env: {
          ...{ PATH: process.env.PATH, HOME: place, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_NO_LAZY_FETCH: '1' },
          ...{ GIT_CONFIG_GLOBAL: join(place, 'none'), GIT_NO_REPLACE_OBJECTS: '1' },
        },
      })
    }
    git('init', '-q', '--bare', '--template=', ...(isSha256 ? ['--object-format=sha256'] : []))
    mkdirSync(join(place, 'git/objects/info'), { recursive: true })
    const present = objects.filter((folder) => lookAt(folder)?.isDirectory() && !folder.includes('\n'))
    writeFileSync(join(place, 'git/objects/info/alternates'), present.map((folder) => `${folder}\n`).join(''))
    if (shallow !== undefined) writeFileSync(join(place, 'git/shallow'), shallow)
    const { status, stdout } = git(
      'log',
      '--ignore-missing',
      '-n',
      `${mostCommits}`,
      '--source',
      '--format=%H %S %s',
      '--stdin',
    )
    return status === 0 ? stdout : ''
  } finally {
    await removeMade(place).catch(() => undefined)
  }
}

function stashesIn(
  folder: VirtualPath,
  repository: VirtualPath,
  shown: GitFiles,
  below: GitFiles,
): readonly MadeCommit[] {
  const log = joinPath(folder, 'logs/refs/stash' as VirtualPath)
  const read = (files: GitFiles) =>
    (files.text(log) ?? '').split('\n').flatMap((line) => {
      const id = line.split(' ')[1] ?? ''
      return idLine.test(id) ? [{ id, subject: line.split('\t')[1] ?? '' }] : []
    })
  // A line also names the stash before it, which is another one where lists were joined.
  const before = new Set(read(below).map(({ id }) => id))
  return read(shown)
    .toReversed()
    .flatMap(({ id, subject }, at): MadeCommit[] =>
      before.has(id) ? [] : [{ kind: 'stash', repository, branch: `stash@{${at}}`, id, subject }],
    )
}
