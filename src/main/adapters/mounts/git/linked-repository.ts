import { realpathSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import { isGitConfig, withoutCredentials } from '#core/secrets/git-credentials.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAt, namesIn } from '../../system/look-at.ts'
import { readRegular } from '../mount-base.ts'

/** The repository of a project that is a git worktree, as its mounts show it. */
export interface LinkedRepository {
  /** A `.git` folder of the mount's own: everything but the objects. */
  readonly entries: readonly MountEntry[]
  /** Absolute path of the real repository's objects, which git in the mount reads. */
  readonly objects: string
}

/** Bytes. Git writes one short line into its pointers and references. */
const mostOfLine = 4096
/** Bytes of a file with settings, or of a log. The others are the index and short files. */
const mostOfText = 16 * 1024 * 1024
const gitFolder = '/.git' as VirtualPath

/**
 * Null for a folder that is no worktree of a repository elsewhere. Git's own links must lead there and back, because
 * anybody may have written the file `.git`. What the mount shows is read again for each mount.
 */
export function readLinkedRepository(rootFolder: string): LinkedRepository | null {
  const found = findRepository(rootFolder)
  const config = found && textOf(join(found.common, 'config'), mostOfText)
  if (!found || config === null || /refstorage\s*=\s*"?reftable/i.test(config)) return null
  const objects = join(found.common, 'objects')
  const entries = [
    folderEntry(gitFolder),
    folderEntry(pathOf('refs')),
    textEntry('config', ownConfig(config)),
    textEntry('objects/info/alternates', `${objects}\n`),
    ...references(found.common),
    ...['hooks', 'info', 'logs/refs'].flatMap((name) => filesAt(found.common, name)),
    ...filesAt(found.common, 'shallow'),
    ...filesAt(found.worktree, ''),
  ]
  return { entries: [...new Map(entries.map((entry) => [entry.path, entry])).values()], objects }
}

interface Place {
  /** What git keeps for this worktree alone. */
  readonly worktree: string
  readonly common: string
}

/** Only the layout that git makes counts: `<common>/worktrees/<name>`, of which no part is a link. */
function findRepository(rootFolder: string): Place | null {
  try {
    const root = realpathSync.native(rootFolder)
    const target = /^gitdir: (.+)\n?$/.exec(textOf(join(root, '.git'), mostOfLine) ?? '')?.[1]
    if (target === undefined) return null
    const worktree = realpathSync.native(resolve(root, target))
    const common = dirname(dirname(worktree))
    const [back, shared] = [lineOf(worktree, 'gitdir'), lineOf(worktree, 'commondir')]
    const isLinked =
      worktree === join(common, 'worktrees', worktree.slice(dirname(worktree).length + 1)) &&
      back !== null &&
      shared !== null &&
      realpathSync.native(dirname(resolve(worktree, back))) === root &&
      resolve(worktree, shared) === common &&
      ['objects', 'refs'].every((name) => lookAt(join(common, name))?.isDirectory()) &&
      lookAt(join(common, 'HEAD'))?.isFile() === true
    // What lies in the project is there already, and whoever wrote the project wrote that too.
    return isLinked && !`${common}/`.startsWith(`${root}/`) && !common.includes('\n') ? { worktree, common } : null
  } catch {
    return null
  }
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

/** The last value of a setting counts. The real repository may have no folder of its own, or another one. */
function ownConfig(text: string): string {
  const folder = /^\s*worktree\s*=/im.test(text) ? '\tworktree = ..\n' : ''
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
const leftOut = /(^|\/)(gitdir|commondir|locked|modules|lfs|[^/]+\.lock|[^/]+\.sample)$/

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
    return [{ kind: 'file', path, content, read, executable: (mode & 0o100) !== 0 } as const]
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
