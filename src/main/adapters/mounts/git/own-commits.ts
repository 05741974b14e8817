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
  for (const folder of gitFolders(layers, shown)) {
    const objects = [...layers.map(({ files }) => join(files, folder, 'objects'))]
    if (rootFolder !== null) objects.push(join(rootFolder, folder, 'objects'))
    objects.push(...linkedObjects)
    const commits = await commitsIn(folder, shown, below, objects)
    found.push(...stashesIn(folder, shown, below), ...commits)
  }
  return found
}

/** The folders of git that commands wrote to: that of the project, and those of repositories in it. */
function gitFolders(layers: readonly Layer[], shown: GitFiles): ReadonlySet<VirtualPath> {
  const folders = new Set<VirtualPath>()
  const modules = (folder: VirtualPath): readonly VirtualPath[] =>
    shown.names(folder).flatMap((name) => {
      const path = joinPath(folder, name)
      return shown.text(joinPath(path, 'HEAD')) === undefined ? modules(path) : [path]
    })
  for (const { path } of layers.flatMap(({ units }) => units)) {
    const folder = /^.*?\/\.git(?=\/|$)/.exec(path)?.[0] as VirtualPath | undefined
    if (folder === undefined || folders.has(folder)) continue
    folders.add(folder)
    for (const one of modules(joinPath(folder, 'modules'))) folders.add(one)
  }
  return folders
}

const idLine = /^[0-9a-f]{40,64}$/

/** Object ids by the name of the reference. A HEAD that names a branch is none. */
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
  const head = files.text(joinPath(folder, 'HEAD'))?.trimEnd()
  if (head !== undefined && idLine.test(head)) found.set('HEAD', head)
  return found
}

/** `/` for the project, and the folder of a repository in it. */
function repositoryAt(folder: VirtualPath): VirtualPath {
  const [above = '', module] = folder.split('/.git/modules/')
  return (module === undefined ? parentOf(folder) : `${above}/${module}`) as VirtualPath
}

async function commitsIn(
  folder: VirtualPath,
  shown: GitFiles,
  below: GitFiles,
  objects: readonly string[],
): Promise<readonly MadeCommit[]> {
  const [now, before] = [referencesIn(folder, shown), referencesIn(folder, below)]
  const known = new Set([...before.values(), ...[...now].flatMap(([name, id]) => (isRemote(name) ? [id] : []))])
  const tips = [...now].filter(([name, id]) => !isRemote(name) && name !== 'refs/stash' && !known.has(id))
  if (tips.length === 0) return []
  const input = [...tips.map(([, id]) => id), ...[...known].map((id) => `^${id}`)].join('\n')
  const shallow = shown.text(joinPath(folder, 'shallow'))
  const text = await logOf(input, objects, shallow, tips[0]?.[1].length === 64)
  const names = new Map(tips.map(([name, id]) => [id, name.replace(/^refs\/(heads|tags)\//, '')]))
  const repository = repositoryAt(folder)
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

function stashesIn(folder: VirtualPath, shown: GitFiles, below: GitFiles): readonly MadeCommit[] {
  const log = joinPath(folder, 'logs/refs/stash' as VirtualPath)
  const read = (files: GitFiles) => (files.text(log) ?? '').split('\n').filter((line) => line !== '')
  const before = new Set(read(below))
  const repository = repositoryAt(folder)
  return read(shown)
    .toReversed()
    .flatMap((line, at): MadeCommit[] => {
      const id = line.split(' ')[1] ?? ''
      if (before.has(line) || !idLine.test(id)) return []
      return [{ kind: 'stash', repository, branch: `stash@{${at}}`, id, subject: line.split('\t')[1] ?? '' }]
    })
}
