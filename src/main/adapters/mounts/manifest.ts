import { createHash } from 'node:crypto'
import { accessSync, chmodSync, constants, lstatSync, opendirSync, readdirSync, type Stats } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { NotKept } from '#core/ports/branch-mounts.ts'
import { isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { lookAt as lookAtPlace } from '../system/look-at.ts'
import { pathBelow, type WrittenFiles } from './written-files.ts'

export interface ManifestEntry {
  readonly kind: 'file' | 'directory' | 'symlink'
  readonly size: number
  /** Permission bits. */
  readonly mode: number
  /** Changes whenever the file's content or mode changes. */
  readonly stamp: string
}

/** Everything in a mount, by path. */
export interface Manifest {
  readonly entries: ReadonlyMap<VirtualPath, ManifestEntry>
  /** What no branch can hold: special files, names that are not UTF-8, and what is too deep. What is below is not listed. */
  readonly uncarried: readonly Uncarried[]
}

export interface Uncarried {
  readonly not: NotKept
  readonly folder: VirtualPath
  readonly name: Buffer
  /** Changes whenever the entry does, or anything below it. */
  readonly stamp: string
}

const sliceMs = 8

/**
 * Walks in slices without following links. `prepare` may change or remove an entry before it is looked at. Folders
 * that their owner may not read are opened for the walk.
 */
export async function takeManifest(folder: string, prepare?: (location: string) => void): Promise<Manifest> {
  const entries = new Map<VirtualPath, ManifestEntry>()
  const folders: VirtualPath[] = [rootPath]
  const closed: (readonly [string, number])[] = []
  const uncarried: Uncarried[] = []
  let sliceEnd = performance.now() + sliceMs
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const mode = openFolder(`${folder}${next}`)
    if (mode !== undefined) closed.push([`${folder}${next}`, mode])
    for (const name of namesIn(`${folder}${next}`)) {
      const named = pathBelow(next, name)
      if ('not' in named) {
        uncarried.push({ not: named.not, folder: next, name, stamp: stampBelow(placeOf(`${folder}${next}`, name)) })
        continue
      }
      const { path } = named
      prepare?.(`${folder}${path}`)
      const stats = lstatSync(`${folder}${path}`, { throwIfNoEntry: false })
      if (!stats) continue
      const entry = entryOf(stats)
      if (entry) entries.set(path, entry)
      else uncarried.push(specialAt(next, name, path, stats))
      if (entry?.kind === 'directory') folders.push(path)
    }
    if (performance.now() > sliceEnd) {
      await setImmediate()
      sliceEnd = performance.now() + sliceMs
    }
  }
  for (const [path, mode] of closed.reverse()) chmodSync(path, mode)
  return { entries, uncarried }
}

/**
 * The same while programs may still write. Nothing is changed for it: what is in a folder that is closed to this user
 * counts as it was `before`.
 */
export async function lookThrough(files: WrittenFiles, before: Manifest): Promise<Manifest> {
  const entries = new Map<VirtualPath, ManifestEntry>()
  const folders: VirtualPath[] = [rootPath]
  const uncarried: Uncarried[] = []
  const pace = createPace()
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const name of files.names(next)) {
      const named = pathBelow(next, name)
      if ('not' in named) {
        const stamp = files.at(next, (place) => stampBelow(placeOf(place, name))) ?? ''
        uncarried.push({ not: named.not, folder: next, name, stamp })
        continue
      }
      const { path } = named
      const stats = files.look(path)
      const entry = stats && entryOf(stats)
      if (entry) entries.set(path, entry)
      else uncarried.push(specialAt(next, name, path, stats))
      if (entry?.kind !== 'directory') continue
      if (isClosed(files, path)) {
        for (const [below, was] of before.entries) if (below !== path && isWithin(below, path)) entries.set(below, was)
      } else folders.push(path)
    }
    await pace()
  }
  return { entries, uncarried }
}

/** What no branch can hold and the programs made or changed. */
export function changedUncarried(before: Manifest, after: Manifest): readonly Uncarried[] {
  const known = new Map(before.uncarried.map(({ not, stamp }) => [not.path, stamp]))
  return after.uncarried.filter(({ not, stamp }) => known.get(not.path) !== stamp)
}

/** The place of an entry whose name need not be UTF-8. */
export function placeOf(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name])
}

/** Of an entry that is not listed, and of all below it as far as this user may look. */
function stampBelow(place: Buffer): string {
  const hash = createHash('sha256')
  const places = [place]
  for (let next = places.pop(); next !== undefined; next = places.pop()) {
    const stats = lookAtPlace(next)
    if (!stats) continue
    hash.update(next).update(` ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.mode}\0`)
    if (stats.isDirectory()) places.push(...namesAt(next).map((name) => Buffer.concat([next, Buffer.from('/'), name])))
  }
  return hash.digest('hex')
}

function namesAt(folder: Buffer): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' })
  } catch {
    return []
  }
}

/** True for a folder that this user may not list. */
function isClosed(files: WrittenFiles, path: VirtualPath): boolean {
  return files.at(path, (place) => isListable(place)) === false
}

function isListable(place: string): boolean {
  try {
    accessSync(place, constants.R_OK | constants.X_OK)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES'
  }
}

/** Returns the mode to put back. Undefined when the folder is open, or gone, or somebody else's. */
function openFolder(path: string): number | undefined {
  const stats = lookAtPlace(path)
  if (!stats?.isDirectory() || (stats.mode & 0o700) === 0o700) return undefined
  try {
    chmodSync(path, (stats.mode & 0o7777) | 0o700)
    return stats.mode & 0o7777
  } catch {
    return undefined
  }
}

function namesIn(folder: string): Buffer[] {
  try {
    using opened = opendirSync(folder, { bufferSize: 256, encoding: 'buffer' as BufferEncoding })
    const names: Buffer[] = []
    for (let entry = opened.readSync(); entry; entry = opened.readSync()) names.push(bytesOf(entry.name))
    return names
  } catch {
    return []
  }
}

/** Node's types do not know that `readdir` can return names as bytes. */
function bytesOf(name: unknown): Buffer {
  return Buffer.isBuffer(name) ? name : Buffer.from(String(name))
}

function specialAt(folder: VirtualPath, name: Buffer, path: VirtualPath, stats: Stats | undefined): Uncarried {
  return { not: { path, size: 0, why: 'special' }, folder, name, stamp: stats?.isSocket() ? 'socket' : 'special' }
}

function entryOf(stats: Stats): ManifestEntry | undefined {
  const kind = kindOf(stats)
  if (!kind) return undefined
  const stamp =
    kind === 'directory' ? kind : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.mode}`
  return { kind, size: stats.size, mode: stats.mode & 0o7777, stamp }
}

function kindOf(stats: Stats): ManifestEntry['kind'] | undefined {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : undefined
}
