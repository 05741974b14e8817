import { accessSync, chmodSync, constants, lstatSync, opendirSync, type Stats } from 'node:fs'
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
  /** What no branch can hold: special files, names that are not UTF-8, and what is too deep. */
  readonly uncarried: readonly NotKept[]
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
  const uncarried: NotKept[] = []
  let sliceEnd = performance.now() + sliceMs
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const mode = openFolder(`${folder}${next}`)
    if (mode !== undefined) closed.push([`${folder}${next}`, mode])
    for (const name of namesIn(`${folder}${next}`)) {
      const named = pathBelow(next, name)
      if ('not' in named) {
        uncarried.push(named.not)
        continue
      }
      const { path } = named
      prepare?.(`${folder}${path}`)
      const entry = lookAt(`${folder}${path}`)
      if (entry === 'gone') continue
      if (entry) entries.set(path, entry)
      else uncarried.push({ path, size: 0, why: 'special' })
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
  const uncarried: NotKept[] = []
  const pace = createPace()
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const name of files.names(next)) {
      const named = pathBelow(next, name)
      if ('not' in named) {
        uncarried.push(named.not)
        continue
      }
      const { path } = named
      const stats = files.look(path)
      const entry = stats && entryOf(stats)
      if (entry) entries.set(path, entry)
      else uncarried.push({ path, size: 0, why: 'special' })
      if (entry?.kind !== 'directory') continue
      if (isClosed(files, path)) {
        for (const [below, was] of before.entries) if (below !== path && isWithin(below, path)) entries.set(below, was)
      } else folders.push(path)
    }
    await pace()
  }
  return { entries, uncarried }
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

function lookAt(location: string): ManifestEntry | 'gone' | undefined {
  const stats = lstatSync(location, { throwIfNoEntry: false })
  if (!stats) return 'gone'
  return entryOf(stats)
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
