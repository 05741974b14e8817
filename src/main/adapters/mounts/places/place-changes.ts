import { isUtf8 } from 'node:buffer'
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import type { PlaceChange, PlaceRequest } from '#core/ports/branch-mounts.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { isWithin, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../../pace.ts'
import { removeInMade, removeInMadeSync } from '../../system/made-folders.ts'
import { readRegular } from '../mount-base.ts'

/** A file as it was laid out for programs. */
export interface KnownFile {
  readonly content: string
  readonly stamp: FileStamp
}

/** Differs whenever somebody has written the file, or put another one in its place. */
export type FileStamp = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs' | 'mode'>

export function stampOf({ ino, size, mtimeMs, ctimeMs, mode }: Stats): FileStamp {
  return { ino, size, mtimeMs, ctimeMs, mode }
}

function isUntouched(stamp: FileStamp | undefined, { ino, size, mtimeMs, ctimeMs, mode }: Stats): boolean {
  return (
    stamp?.ctimeMs === ctimeMs &&
    stamp.mtimeMs === mtimeMs &&
    stamp.size === size &&
    stamp.ino === ino &&
    stamp.mode === mode
  )
}

/** Most that one run may write into the places. Everything beyond it is refused. */
const mostBytes = 64 * 1024 * 1024
const mostFiles = 5_000
const tooMuch = `beyond the ${mostBytes / 1024 / 1024} MB and ${mostFiles} files that one run may write there`

/**
 * Finds what programs changed, sorted by path, and takes it out of the folders again: they then hold only what is in
 * `known`. Links are never followed.
 */
export async function collectPlaceChanges(
  top: string,
  places: readonly PlaceRequest[],
  known: Map<VirtualPath, KnownFile>,
): Promise<readonly PlaceChange[]> {
  const found = await walkPlaces(top, places, known)
  const isHidden = (path: VirtualPath) => found.unreadable.some((folder) => isWithin(path, folder))
  const missing =
    found.untouched.size === known.size ? [] : [...known.keys()].filter((path) => !found.untouched.has(path))
  const gone = missing.filter((path) => !found.changed.has(path) && !isHidden(path))
  for (const path of missing) known.delete(path)
  for (const stray of found.strays) removeStray(stray)
  for (const folder of [...found.unreadable, ...found.empty]) await removeInMade(`${top}${folder}`)
  const absent = gone.map((path): PlaceChange => ({ kind: 'absent', path }))
  return [...found.changes, ...absent].sort((a, b) => byCodeUnit(a.path, b.path))
}

/** A name that is not UTF-8 comes as the bytes of its path. */
function removeStray(stray: string | Buffer): void {
  if (typeof stray === 'string') removeInMadeSync(stray)
  else {
    const end = stray.lastIndexOf('/')
    removeInMadeSync(stray.subarray(0, end).toString(), stray.subarray(end + 1))
  }
}

interface Found {
  readonly changes: PlaceChange[]
  /** Files that are as they were laid out. */
  readonly untouched: Set<VirtualPath>
  /** Where something else than a folder is new, or differs from what was laid out. */
  readonly changed: Set<VirtualPath>
  /** Nothing is known about what is inside. */
  readonly unreadable: readonly VirtualPath[]
  /** Folders without a file that was laid out. */
  readonly empty: readonly VirtualPath[]
  /** Paths on disk of everything that was not laid out. */
  readonly strays: (string | Buffer)[]
}

async function walkPlaces(
  top: string,
  places: readonly PlaceRequest[],
  known: ReadonlyMap<VirtualPath, KnownFile>,
): Promise<Found> {
  const found = { changes: [] as PlaceChange[], untouched: new Set<VirtualPath>(), changed: new Set<VirtualPath>() }
  const strays: (string | Buffer)[] = []
  const unreadable: VirtualPath[] = []
  const folders: VirtualPath[] = []
  const needed = new Set(places.map(({ path }) => path))
  const waiting: VirtualPath[] = []
  const room = { bytes: mostBytes, files: mostFiles }
  const pace = createPace()

  /** `name` is the name's bytes when it is not UTF-8, which no path can say. */
  function look(path: VirtualPath, name?: Buffer): void {
    const location = name ? Buffer.concat([Buffer.from(`${top}${parentOf(path)}/`), name]) : `${top}${path}`
    const stats = lstatSync(location, { throwIfNoEntry: false })
    if (!stats) return
    if (stats.isDirectory() && !name) return void waiting.push(path)
    if (isUntouched(known.get(path)?.stamp, stats)) return void found.untouched.add(path)
    strays.push(location)
    found.changed.add(path)
    const why = name ? 'a name that is not UTF-8' : problemWith(stats)
    if (why === undefined && room.files > 0 && room.bytes >= stats.size) {
      room.files -= 1
      room.bytes -= stats.size
      found.changes.push({ kind: 'file', path, bytes: readRegular(`${top}${path}`) })
    } else {
      const shown = name ? `${parentOf(path)}/${name.toString('latin1')}` : path
      found.changes.push({ kind: 'refused', path: shown, why: why ?? tooMuch })
    }
  }

  for (const { path } of places) look(path)
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = namesIn(`${top}${folder}`)
    if (names === undefined) {
      unreadable.push(folder)
      found.changes.push({ kind: 'refused', path: folder, why: 'a folder that cannot be read' })
      continue
    }
    folders.push(folder)
    const before = found.untouched.size
    for (const name of names) {
      look(`${folder}/${name.toString()}` as VirtualPath, typeof name === 'string' ? undefined : name)
      // A folder may hold thousands of files, and an await for each of them would take as long as looking at it.
      const turn = pace()
      if (turn) await turn
    }
    if (found.untouched.size === before) continue
    for (let one = folder; !needed.has(one); one = parentOf(one)) needed.add(one)
  }
  return { ...found, strays, unreadable, empty: folders.filter((folder) => !needed.has(folder)) }
}

/** A name that is not UTF-8 comes as its bytes. Undefined when the folder cannot be read. */
function namesIn(folder: string): readonly (string | Buffer)[] | undefined {
  try {
    const names = readdirSync(folder)
    // A byte that is not UTF-8 becomes this character, which a name may also hold itself.
    if (!names.some((name) => name.includes('\ufffd'))) return names
    return readdirSync(folder, { encoding: 'buffer' }).map((name) => (isUtf8(name) ? name.toString() : name))
  } catch {
    return undefined
  }
}

function problemWith(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined
  return stats.isSymbolicLink() ? 'a link' : 'not a regular file'
}
