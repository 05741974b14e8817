import { createHash, randomUUID } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BranchMountError, type LayerUsage, type MissingLayers } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { removeInMade } from '../../system/made-folders.ts'
import type { HoldLayer } from '../mount-folder.ts'
import { asSetup, runInside } from '../namespace.ts'
import { createJoinedLayers, type JoinedLayers } from './joined-layers.ts'
import { removeFromLayer } from './layer-folders.ts'
import { measureFolders } from './layer-sizes.ts'
import type { ShownTime } from './shown-times.ts'

/** The topmost path of ignored files, or a `.git`, in a layer. */
export interface LayerUnit {
  readonly path: VirtualPath
  /** Changes when the project or the branch changed what the unit hides, adds to or lies in. */
  readonly stamp: string
}

/** What a layer says of itself. Without it a layer is not complete, and is not used. */
export interface LayerRecord {
  readonly units: readonly LayerUnit[]
  /** Folders in it that hide all that lower layers have there. */
  readonly opaque: readonly VirtualPath[]
  /** True when it has files of the commands' home. */
  readonly home: boolean
  /** Views of the other kind cannot show it: an overlay's layer has differences, a copy's has whole paths. Absent for old ones. */
  readonly kind?: LayerKind
  /** Of files of the branch, at the end of the command. Absent for none. */
  readonly times?: readonly ShownTime[]
}

export type LayerKind = 'overlay' | 'copy'

/** A layer on disk. Nobody changes its files. */
export interface Layer extends LayerRecord {
  readonly id: LayerId
  /** Absolute path of what it has of the project. */
  readonly files: string
  /** Absolute path of what it has of the commands' home. */
  readonly homeFiles: string
}

/** What commands left, as folders that outlive the process. Two branches may use one layer. */
export interface LayerStore {
  readonly folder: string
  readonly joined: JoinedLayers
  /** Undefined for a layer that is missing or damaged. */
  read(id: LayerId): Layer | undefined
  /** Why `read` finds nothing. */
  whyMissing(id: LayerId): MissingLayers
  /** Remembers that a mount shows these layers now. */
  use(layers: readonly Layer[]): void
  /**
   * Takes over both folders by renaming them, so that they are no longer where they were. Throws `BranchMountError` when
   * the disk is full; the folders are gone then too.
   */
  add(folders: { readonly files: string; readonly home: string }, record: LayerRecord, hold: HoldLayer): Promise<Layer>
  /**
   * A layer like this one without these paths. Null when nothing of it is left, or it is damaged. Throws
   * `BranchMountError` when the disk is full.
   */
  without(layer: Layer, gone: readonly VirtualPath[], hold: HoldLayer): Promise<LayerId | null>
  /** Every layer, and what a crash left of one. */
  list(): Promise<readonly LayerId[]>
  /** Size and last use of every layer. The least recently used come first; of those used together, the newest. */
  usage(): Promise<readonly LayerUsage[]>
  remove(id: LayerId): Promise<void>
  /** Removes a layer that entries still name, and remembers that it was dropped. */
  drop(id: LayerId): Promise<void>
  /** Forgets which layers were dropped, except these. */
  forgetDropped(left: ReadonlySet<LayerId>): Promise<void>
}

const recordName = 'layer.json'
const droppedEnding = '.dropped'

/** `folder` is one that the app made. A stack of more than `mostInStack` folders is made short. */
export function createLayerStore(folder: string, mostInStack?: number): LayerStore {
  const read = (id: LayerId): Layer | undefined => {
    const place = join(folder, id)
    const record = readRecord(join(place, recordName))
    if (!isFolder(join(place, 'files')) || !isFolder(join(place, 'home'))) return undefined
    return record && { ...record, id, files: join(place, 'files'), homeFiles: join(place, 'home') }
  }
  /** The sizes of exactly these layers: which of them has the bytes of a shared file depends on all. */
  let measured: { readonly of: string; readonly sizes: ReadonlyMap<string, number> } = { of: '', sizes: new Map() }
  /** The record goes first, so that a kill leaves no layer that seems whole. */
  const remove = async (id: LayerId): Promise<void> => {
    const place = join(folder, id)
    if (existsSync(join(place, recordName))) await removeInMade(join(place, recordName))
    if (existsSync(place)) await removeInMade(place)
  }
  const newId = () => createHash('sha256').update(randomUUID()).digest('hex').slice(0, 16) as LayerId

  return {
    folder,
    joined: createJoinedLayers(folder, mostInStack),
    read,
    whyMissing: (id) => (existsSync(join(folder, `${id}${droppedEnding}`)) ? 'dropped' : 'damaged'),
    use(layers) {
      const now = new Date()
      for (const { id } of layers) utimesSync(join(folder, id, recordName), now, now)
    },
    async add({ files, home }, record, hold) {
      const id = newId()
      hold(id)
      const place = join(folder, id)
      try {
        mkdirSync(place, { mode: 0o700 })
        renameSync(files, join(place, 'files'))
        renameSync(home, join(place, 'home'))
        writeRecord(place, record)
      } catch (error) {
        await removeInMade(place).catch(() => undefined)
        throw explain(error)
      }
      return { ...record, id, files: join(place, 'files'), homeFiles: join(place, 'home') }
    },
    async without(layer, gone, hold) {
      const isGone = (path: VirtualPath) => gone.some((one) => isWithin(path, one) || isWithin(one, path))
      const units = layer.units.filter(({ path }) => !isGone(path))
      if (units.length === 0 && !layer.home) return null
      const id = newId()
      hold(id)
      const place = join(folder, id)
      try {
        mkdirSync(place, { mode: 0o700 })
        // Hard links share the files, since nobody writes to a layer. The folders keep their marks and times.
        await runInside(asSetup(['cp', '-al', '--', layer.files, layer.homeFiles, place]))
        const wanted = new Set(units.map(({ path }) => path))
        for (const { path } of layer.units)
          if (!wanted.has(path)) removeFromLayer(join(place, 'files'), path, () => false)
        writeRecord(place, { ...layer, units, opaque: layer.opaque.filter((path) => !isGone(path)) })
        return id
      } catch (error) {
        await removeInMade(place).catch(() => undefined)
        const explained = explain(error)
        if (explained instanceof BranchMountError) throw explained
        return null
      }
    },
    list: () => listLayers(folder),
    async usage() {
      const ids = await listLayers(folder)
      const layers = ids
        .map((id) => ({ id, usedAt: usedAt(join(folder, id)), madeAt: madeAt(join(folder, id)) }))
        .sort((a, b) => b.madeAt - a.madeAt || (a.id < b.id ? -1 : 1))
      // The newest first: a layer that took the place of an older one has the bytes of both, since the older one is dropped first.
      const names = layers.map(({ id }) => id)
      const of = names.join()
      if (measured.of !== of) measured = { of, sizes: await measureFolders(folder, names) }
      const { sizes } = measured
      return layers
        .sort((a, b) => a.usedAt - b.usedAt || b.madeAt - a.madeAt)
        .map(({ id, usedAt }) => ({ id, bytes: sizes.get(id) ?? 0, usedAt }))
    },
    remove,
    async drop(id) {
      writeFileSync(join(folder, `${id}${droppedEnding}`), '', { mode: 0o600 })
      await remove(id)
    },
    async forgetDropped(left) {
      for (const name of await readdir(folder)) {
        const id = name.endsWith(droppedEnding) ? name.slice(0, -droppedEnding.length) : undefined
        if (id !== undefined && !left.has(id as LayerId)) await removeInMade(join(folder, name))
      }
    },
  }
}

async function listLayers(folder: string): Promise<readonly LayerId[]> {
  return (await readdir(folder, { withFileTypes: true })).filter(isLayer).map(({ name }) => name as LayerId)
}

function isLayer(entry: { readonly name: string; isDirectory(): boolean }): boolean {
  return entry.isDirectory() && /^[0-9a-f]{16}$/.test(entry.name)
}

function writeRecord(place: string, { units, opaque, home, kind, times }: LayerRecord): void {
  writeFileSync(join(place, `${recordName}.new`), JSON.stringify({ units, opaque, home, kind, times }), { mode: 0o600 })
  renameSync(join(place, `${recordName}.new`), join(place, recordName))
}

function readRecord(file: string): LayerRecord | undefined {
  try {
    const { units, opaque, home, kind, times } = JSON.parse(readFileSync(file, 'utf8'))
    const isUnit = (one: unknown) =>
      typeof one === 'object' && one !== null && 'path' in one && isPath(one.path) && 'stamp' in one
    const isWhole = Array.isArray(units) && units.every(isUnit) && Array.isArray(opaque) && opaque.every(isPath)
    if (!isWhole) return undefined
    return {
      ...{ units, opaque, home: home === true },
      ...((kind === 'overlay' || kind === 'copy') && { kind }),
      ...(Array.isArray(times) && { times: times.filter(isTime) }),
    }
  } catch {
    return undefined
  }
}

function isTime(one: unknown): one is ShownTime {
  if (typeof one !== 'object' || one === null) return false
  const { path, content, time } = one as Partial<Record<string, unknown>>
  return isPath(path) && typeof content === 'string' && typeof time === 'number' && Number.isFinite(time)
}

/** An absolute path without steps up, as every path of a project is. */
function isPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/') && !value.split('/').includes('..')
}

function isFolder(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true
}

/** In milliseconds since the Unix epoch; 0 for a layer without a record. */
function usedAt(place: string): number {
  return lstatSync(join(place, recordName), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function madeAt(place: string): number {
  return lstatSync(place, { throwIfNoEntry: false })?.birthtimeMs ?? 0
}

/** A full disk in words for a person. Anything else stays what it is. */
function explain(error: unknown): unknown {
  const text = error instanceof Error ? `${'code' in error ? error.code : ''} ${error.message}` : ''
  if (!/ENOSPC|EDQUOT|No space left|Disk quota/.test(text)) return error
  return new BranchMountError(
    'no_space',
    'The disk is full, so there is no room for what commands leave in ignored files. Free some space and run it again.',
  )
}
