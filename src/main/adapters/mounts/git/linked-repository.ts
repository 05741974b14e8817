import { realpathSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import { isGitConfig, withoutCredentials } from '#core/secrets/git-credentials.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAt, namesIn } from '../../system/look-at.ts'
import { readRegular } from '../mount-base.ts'

/** What the mounts of a project whose repository is not simply the folder `.git` have instead. */
export interface LinkedRepository {
  /** Of `.git`: all of it but the objects, or only what must be another one. Empty for nothing. */
  readonly entries: readonly MountEntry[]
  /** Absolute paths of folders with objects outside the project, which git in the mount reads. */
  readonly objects: readonly string[]
  /** Why git in the mount does not work as it does in the folder, as sentences for a person. Null when it does. */
  readonly problem: string | null
}

/** Bytes. Git writes one short line into its pointers and references. */
const mostOfLine = 4096
/** Bytes of a file with settings, or of a log. The others are the index and short files. */
const mostOfText = 16 * 1024 * 1024
const gitFolder = '/.git' as VirtualPath
/** The second one counts where a setting of the first says so. */
const settingsFiles = ['config', 'config.worktree']

/**
 * What git in mounts needs from outside the project, and what of `.git` must differ. Null where the folder `.git` is all that
 * there is, or nothing is. What a file or link `.git` leads to must lead back, by git's own layout of worktrees or by `core.worktree`,
 * because anybody may have written it; so it is for objects elsewhere. In a trusted folder it need not. What the mount shows is read again
 * for each mount.
 */
export function readLinkedRepository(rootFolder: string, isTrusted = false): LinkedRepository | null {
  const found = findRepository(rootFolder, isTrusted)
  if (found === null) return null
  if ('problem' in found) return unshown(found.problem)
  const { common, worktree } = found
  const store = join(common, 'objects')
  const others = alternatesOf(store)
  const config = textOf(join(common, 'config'), mostOfText)
  if (config === null) return null
  const hasTables = /refstorage\s*=\s*"?reftable/i.test(config)
  if (found.isInside) {
    if (others.length > 0 && !isTrusted) return unshown(lends(others))
    const borrowed = others.length > 0 ? [textEntry('objects/info/alternates', linesOf(others))] : []
    const entries = [...(worktreeIn(common) === null ? [] : settingsIn(common, common)), ...borrowed]
    const problem = hasTables ? tablesInside : null
    return entries.length === 0 && problem === null ? null : { entries, objects: others, problem }
  }
  if (hasTables) return unshown(tables)
  const isWhole = worktree === common
  const entries = [
    folderEntry(gitFolder),
    folderEntry(pathOf('refs')),
    textEntry('objects/info/alternates', linesOf([store])),
    ...references(common),
    ...(isWhole ? [] : ['hooks', 'info', 'logs/refs', 'shallow'].flatMap((name) => filesAt(common, name))),
    ...namesIn(worktree).flatMap((name) =>
      (isWhole ? shownElse : noSettings).has(name) ? [] : filesAt(worktree, name),
    ),
    ...settingsIn(common, worktree),
  ]
  const all = [...new Map(entries.map((entry) => [entry.path, entry])).values()]
  return { entries: all, objects: [store, ...others], problem: null }
}

function unshown(problem: string): LinkedRepository {
  return { entries: [], objects: [], problem }
}

const tables =
  'Git keeps the references of this repository in a form (reftable) that views do not have, so commands have no git here.'

const tablesInside =
  'Git keeps the references of this repository in a form (reftable) that views cannot join: once a command wrote a reference, commands do not see the later commits of the user. In the folder, "git refs migrate --ref-format=files" ends that.'

function lends(others: readonly string[]): string {
  return `The repository borrows objects from ${others.join(' and ')}, which commands see only in a folder that you trust, so git of commands may miss commits. Trust the folder, or make the repository whole: git repack -a -d && rm .git/objects/info/alternates.`
}

function linesOf(places: readonly string[]): string {
  return places.map((place) => `${place}\n`).join('')
}

/** How deep git follows them. */
const mostBorrowing = 5

/** The folders from which a folder of objects borrows, and those from which these do. */
function alternatesOf(objects: string, depth = 0, seen: readonly string[] = []): readonly string[] {
  const lines = (textOf(join(objects, 'info/alternates'), mostOfText) ?? '').split('\n')
  const named = lines.filter((line) => line !== '' && !/^[#"]/.test(line)).map((line) => resolve(objects, line))
  const found = named.filter((place) => !seen.includes(place) && lookAt(place)?.isDirectory())
  if (depth === mostBorrowing) return found
  return [...new Set(found.flatMap((place) => [place, ...alternatesOf(place, depth + 1, [...seen, ...found])]))]
}

interface Place {
  /** What git keeps for this worktree alone. */
  readonly worktree: string
  readonly common: string
  /** True for the folder `.git` of the project. */
  readonly isInside: boolean
}

function findRepository(rootFolder: string, isTrusted: boolean): Place | { readonly problem: string } | null {
  const stats = lookAt(join(rootFolder, '.git'))
  if (!stats) return null
  try {
    const root = realpathSync.native(rootFolder)
    const pointer = join(root, '.git')
    if (stats.isDirectory()) return ownFolder(root, pointer)
    const target = stats.isSymbolicLink() ? '.git' : /^gitdir: (.+)\n?$/.exec(textOf(pointer, mostOfLine) ?? '')?.[1]
    if (target === undefined) return { problem: leadsNowhere }
    const worktree = realpathSync.native(resolve(root, target))
    // What lies in the project is there already, and whoever wrote the project wrote that too.
    const isThere = (folder: string) => isInside(folder, root)
    if (lookAt(join(worktree, 'commondir'))) {
      const common = dirname(dirname(worktree))
      if (isThere(common)) return null
      return isLinked(root, worktree, common) && !common.includes('\n')
        ? { worktree, common, isInside: false }
        : { problem: leadsNowhere }
    }
    if (isThere(worktree)) return null
    if (!isRepository(worktree) || worktree.includes('\n')) return { problem: leadsNowhere }
    const named = worktreeIn(worktree)
    const leadsBack = named === null ? isTrusted : named === root
    if (leadsBack) return { worktree, common: worktree, isInside: false }
    return {
      problem:
        named === null
          ? `.git leads to ${worktree}, which does not lead back here, so commands have no git. Trust the folder, or run this in it once: git config core.worktree "$PWD".`
          : `.git leads to ${worktree}, which keeps its files in ${named}, so commands have no git here. Open that folder.`,
    }
  } catch {
    return { problem: leadsNowhere }
  }
}

const leadsNowhere =
  '.git is no folder here and leads to no repository that has this folder as its own, so commands have no git. "git status" says what is wrong; "git worktree repair" mends a worktree that was moved.'

function ownFolder(root: string, common: string): Place | { readonly problem: string } | null {
  if (!isRepository(common)) return null
  const named = worktreeIn(common)
  if (named === null || named === root) return { worktree: common, common, isInside: true }
  return {
    problem: `The repository here keeps its files in ${named}, so git of commands does not work on these. Open that folder.`,
  }
}

const worktreeLine = /^\s*worktree\s*=\s*(.*?)\s*$/im

/** The folder of files that the settings of a repository name, as a real path where there is one. Null for none. */
function worktreeIn(folder: string): string | null {
  const values = settingsFiles.flatMap(
    (name) => worktreeLine.exec(textOf(join(folder, name), mostOfText) ?? '')?.[1] ?? [],
  )
  const value = values.at(-1)
  if (value === undefined) return null
  const place = resolve(folder, value.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1'))
  try {
    return realpathSync.native(place)
  } catch {
    return place
  }
}

function isInside(folder: string, root: string): boolean {
  return `${folder}/`.startsWith(`${root}/`)
}

/** Only the layout that git makes counts: `<common>/worktrees/<name>`, of which no part is a link. */
function isLinked(root: string, worktree: string, common: string): boolean {
  const [back, shared] = [lineOf(worktree, 'gitdir'), lineOf(worktree, 'commondir')]
  return (
    worktree === join(common, 'worktrees', worktree.slice(dirname(worktree).length + 1)) &&
    back !== null &&
    shared !== null &&
    realpathSync.native(dirname(resolve(worktree, back))) === root &&
    resolve(worktree, shared) === common &&
    isRepository(common)
  )
}

function isRepository(folder: string): boolean {
  return (
    ['objects', 'refs'].every((name) => lookAt(join(folder, name))?.isDirectory()) &&
    lookAt(join(folder, 'HEAD'))?.isFile() === true
  )
}

function lineOf(folder: string, name: string): string | null {
  return textOf(join(folder, name), mostOfLine)?.trimEnd() || null
}

/** Null for anything but a readable file of at most so many bytes. Follows no link at its end. */
function textOf(place: string, most: number): string | null {
  const stats = lookAt(place)
  if (!stats?.isFile() || stats.size > most) return null
  try {
    return Buffer.from(readRegular(place)).toString()
  } catch {
    return null
  }
}

/** The settings of a repository and of its worktree, which are to find the files of the mount. */
function settingsIn(common: string, worktree: string): readonly MountEntry[] {
  return [...new Set([join(common, 'config'), join(worktree, 'config.worktree')])].flatMap((file) => {
    const text = textOf(file, mostOfText)
    return text === null ? [] : [textEntry(file.slice(dirname(file).length + 1), ownConfig(text))]
  })
}

/** The last value of a setting counts. The real repository may have no folder of its own, or another one. */
function ownConfig(text: string): string {
  const folder = worktreeLine.test(text) ? '\tworktree = ..\n' : ''
  return `${withoutCredentials(text)}\n[core]\n\tbare = false\n${folder}`
}

/** All references of all worktrees together in one file, since there may be thousands, and those to other references. */
function references(common: string): readonly MountEntry[] {
  const packed = new Map<string, string>()
  for (const line of (textOf(join(common, 'packed-refs'), Number.POSITIVE_INFINITY) ?? '').split('\n')) {
    const [, hash, name] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? []
    if (hash && name) packed.set(name, hash)
  }
  const symbolic: MountEntry[] = []
  for (const { name, place } of filesBelow(common, 'refs')) {
    const line = textOf(place, mostOfLine)?.trimEnd() ?? ''
    if (/^[0-9a-f]{40,64}$/.test(line) && !/\s/.test(name)) packed.set(name, line)
    else if (line.startsWith('ref: refs/')) symbolic.push(textEntry(name, `${line}\n`))
  }
  const lines = [...packed].sort(([a], [b]) => byCodeUnit(a, b)).map(([name, hash]) => `${hash} ${name}\n`)
  return [textEntry('packed-refs', lines.join('')), ...symbolic]
}

/** Never shown: what leads back, and what belongs to submodules and to a git that is at work. */
const leftOut = /(^|\/)(gitdir|commondir|locked|modules|lfs|gc\.pid|tmp_[^/]+|[^/]+\.lock|[^/]+\.sample)$/
/** Shown in another way than as these files. */
const noSettings = new Set(settingsFiles)
const shownElse = new Set(['objects', 'refs', 'packed-refs', 'worktrees', ...settingsFiles])

interface GitFile {
  /** Below the folder of git. */
  readonly name: string
  readonly place: string
  readonly stats: Stats
}

/** Files only: a link could lead to anything that the app may read. */
function filesBelow(folder: string, name: string): readonly GitFile[] {
  const place = join(folder, name)
  const stats = lookAt(place)
  if (leftOut.test(name) || !stats) return []
  if (stats.isFile()) return [{ name, place, stats }]
  if (!stats.isDirectory()) return []
  return namesIn(place).flatMap((one) => filesBelow(folder, name === '' ? one : `${name}/${one}`))
}

function filesAt(folder: string, name: string): readonly MountEntry[] {
  return filesBelow(folder, name).flatMap((file) => {
    const path = pathOf(file.name)
    const isText = isGitConfig(path)
    if (isText && file.stats.size > mostOfText) return []
    const { ino, size, mtimeMs, ctimeMs, mode } = file.stats
    const read = () => (isText ? shownText(file.place) : readRegular(file.place))
    const content = `${file.place} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
    // Git reads a file again that is as new as its index: a newer index would hide what changed in the same second.
    return [{ kind: 'file', path, content, read, executable: (mode & 0o100) !== 0, time: mtimeMs } as const]
  })
}

function shownText(place: string): Uint8Array {
  return Buffer.from(withoutCredentials(Buffer.from(readRegular(place)).toString()))
}

function textEntry(name: string, text: string): MountEntry {
  return { kind: 'file', path: pathOf(name), content: text, read: () => Buffer.from(text), executable: false }
}

function folderEntry(path: VirtualPath): MountEntry {
  return { kind: 'directory', path, opaque: true }
}

function pathOf(name: string): VirtualPath {
  return name === '' ? gitFolder : joinPath(gitFolder, name)
}
