import { createHash, randomUUID } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BranchMountError, type LayerUsage, type MissingLayers } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { removeInMade, renewFolder } from '../../system/made-folders.ts'
import { readBounded } from '../../system/read-bounded.ts'
import type { RepositoryRecord } from '../git/repository-refs.ts'
import type { HoldLayer } from '../mount-folder.ts'
import type { FolderMode } from './folder-modes.ts'
import { linkTrees } from './layer-folders.ts'
import { measureFolders, measureShares } from './layer-sizes.ts'
import type { ShownTime } from './shown-times.ts'

/** In bytes. A layer names each place that it changed. */
const mostOfRecord = 512 * 1024 * 1024

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
  /** Of folders of the project whose permissions its command changed. Absent for none. */
  readonly modes?: readonly FolderMode[]
  /**
   * When its mount was opened, in milliseconds since the Unix epoch: what changed on disk later is newer than the layer.
   */
  readonly at: number
  /** What the branch had changed above, at and below its units. Absent for nothing. */
  readonly over?: readonly (readonly [VirtualPath, string])[]
  /** Paths that the command removed, for a copy. An overlay's layer has marks instead. Absent for none. */
  readonly hides?: readonly VirtualPath[]
  /** The layer that this one was made of, to go without some paths. Absent for one that programs left. */
  readonly from?: LayerId
  /** The layers that became this one, the oldest first, by the names that programs left them under. Absent for one that programs left. */
  readonly of?: readonly LayerId[]
  /** Of each repository among its units. Absent for none. */
  readonly repositories?: readonly RepositoryRecord[]
}

export type LayerKind = 'overlay' | 'copy'

/** Absolute paths of the two folders of a layer. */
export interface LayerParts {
  readonly files: string
  readonly homeFiles: string
}

/** A layer on disk. Nobody changes its files. */
export interface Layer extends LayerRecord, LayerParts {
  readonly id: LayerId
}

/** What commands left, as folders that outlive the process. Two branches may use one layer. */
export interface LayerStore {
  readonly folder: string
  /** How many layers may stand above each other before the newest become one. */
  most: number
  /** How many one mount can show. */
  readonly mountable: number
  /** What the project's setup left. */
  ofSetup(): ReadonlySet<LayerId>
  /** The topmost folders of a layer that hide all that lies below them, of the layers of which that is known. */
  readonly opaque: Map<LayerId, ReadonlySet<VirtualPath>>
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
   * Makes a layer from hard links to all files of another one, or an empty one for null. `edit` changes it and returns its
   * record, or null when nothing of it is to stay. Throws `BranchMountError`; nothing stays of it then.
   */
  make(
    from: Layer | null,
    hold: HoldLayer,
    edit: (parts: LayerParts, id: LayerId) => Promise<LayerRecord | null>,
  ): Promise<Layer | null>
  /** Replaces what a layer says of itself. What it shows stays the same. */
  describe(layer: Layer, record: LayerRecord): void
  /**
   * The time by the clock of the disk, in milliseconds since the Unix epoch. It goes in steps: what is written from now on
   * has this time or a later one.
   */
  now(): number
  /** Every layer, and what a crash left of one. */
  list(): Promise<readonly LayerId[]>
  /** Size and last use of every layer. The least recently used come first; of those used together, the newest. */
  usage(): Promise<readonly LayerUsage[]>
  /**
   * At least the bytes that all layers take together. Only those are looked at that were added since it was asked last, or all
   * after one was removed: the usage of a long thread takes long to measure.
   */
  bytesAtMost(): Promise<number>
  remove(id: LayerId): Promise<void>
  /** Removes a layer that entries still name, and remembers that it was dropped. */
  drop(id: LayerId): Promise<void>
  /** Forgets which layers were dropped, except these, and removes what earlier versions of the app kept beside layers. */
  forget(left: ReadonlySet<LayerId>): Promise<void>
}

const recordName = 'layer.json'
const droppedEnding = '.dropped'

const mostInStack = 16
/** The kernel stacks 500 folders at most. */
const timesMountable = 28

/** `folder` is one that the app made. */
export function createLayerStore(
  folder: string,
  { most = mostInStack, ofSetup = () => new Set() }: Partial<Pick<LayerStore, 'most' | 'ofSetup'>> = {},
): LayerStore {
  const read = (id: LayerId): Layer | undefined => {
    const place = join(folder, id)
    const record = readRecord(join(place, recordName))
    if (!isFolder(join(place, 'files')) || !isFolder(join(place, 'home'))) return undefined
    return record && { ...record, id, files: join(place, 'files'), homeFiles: join(place, 'home') }
  }
  /** The sizes of exactly these layers: which of them has the bytes of a shared file depends on all. */
  let measured: { readonly of: string; readonly sizes: ReadonlyMap<string, number> } = { of: '', sizes: new Map() }
  /** Bytes of each layer, as measured when it was new. */
  const shares = new Map<LayerId, number>()
  /** The record goes first, so that a kill leaves no layer that seems whole. */
  const opaque = new Map<LayerId, ReadonlySet<VirtualPath>>()
  const remove = async (id: LayerId): Promise<void> => {
    opaque.delete(id)
    shares.clear()
    const place = join(folder, id)
    if (existsSync(join(place, recordName))) await removeInMade(join(place, recordName))
    if (existsSync(place)) await removeInMade(place)
  }
  const newId = () => createHash('sha256').update(randomUUID()).digest('hex').slice(0, 16) as LayerId

  return {
    folder,
    most,
    mountable: most * timesMountable,
    ofSetup,
    opaque,
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
        renewFolder(folder)
        mkdirSync(place, { mode: 0o700 })
        renameSync(files, join(place, 'files'))
        renameSync(home, join(place, 'home'))
        writeRecord(place, record)
      } catch (error) {
        await removeInMade(place).catch(() => undefined)
        throw explainFullDisk(error)
      }
      return { ...record, id, files: join(place, 'files'), homeFiles: join(place, 'home') }
    },
    async make(from, hold, edit) {
      const id = newId()
      hold(id)
      const place = join(folder, id)
      const parts = { files: join(place, 'files'), homeFiles: join(place, 'home') }
      try {
        renewFolder(folder)
        mkdirSync(place, { mode: 0o700 })
        if (from) await linkTrees([from.files, from.homeFiles], place)
        else for (const part of Object.values(parts)) mkdirSync(part, { mode: 0o700 })
        const record = await edit(parts, id)
        if (record) {
          writeRecord(place, record)
          return { ...record, id, ...parts }
        }
        await removeInMade(place)
        return null
      } catch (error) {
        await removeInMade(place).catch(() => undefined)
        throw asJoinError(error)
      }
    },
    describe: ({ id }, record) => {
      const place = join(folder, id)
      const { mtime } = lstatSync(join(place, recordName))
      writeRecord(place, record)
      utimesSync(join(place, recordName), mtime, mtime)
    },
    now() {
      try {
        renewFolder(folder)
        writeFileSync(join(folder, '.clock'), '', { mode: 0o600 })
        return lstatSync(join(folder, '.clock')).mtimeMs
      } catch {
        // On a full disk.
        return Date.now()
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
    async bytesAtMost() {
      // One that is still being made is measured when it is whole.
      const ids = (await listLayers(folder)).filter((id) => existsSync(join(folder, id, recordName)))
      const known = new Map(shares)
      for (const [id, bytes] of await measureShares(
        folder,
        ids.filter((one) => !known.has(one)),
      )) {
        known.set(id as LayerId, bytes)
        shares.set(id as LayerId, bytes)
      }
      return ids.reduce((sum, id) => sum + (known.get(id) ?? 0), 0)
    },
    remove,
    async drop(id) {
      writeFileSync(join(folder, `${id}${droppedEnding}`), '', { mode: 0o600 })
      await remove(id)
    },
    async forget(left) {
      for (const name of await readdir(folder)) {
        const id = name.endsWith(droppedEnding) ? name.slice(0, -droppedEnding.length) : undefined
        const isForgotten = id !== undefined && !left.has(id as LayerId)
        if (isForgotten || /^joined-[0-9a-f]{16}$/.test(name)) await removeInMade(join(folder, name))
      }
    },
  }
}

async function listLayers(folder: string): Promise<readonly LayerId[]> {
  renewFolder(folder)
  return (await readdir(folder, { withFileTypes: true })).filter(isLayer).map(({ name }) => name as LayerId)
}

function isLayer(entry: { readonly name: string; isDirectory(): boolean }): boolean {
  return entry.isDirectory() && isLayerName(entry.name)
}

function isLayerName(name: string): boolean {
  return /^[0-9a-f]{16}$/.test(name)
}

function writeRecord(place: string, record: LayerRecord): void {
  const { units, opaque, home, kind, times, modes, at, over, hides, from, of, repositories } = record
  const text = JSON.stringify({ units, opaque, home, kind, times, modes, at, over, hides, from, of, repositories })
  writeFileSync(join(place, `${recordName}.new`), text, { mode: 0o600 })
  renameSync(join(place, `${recordName}.new`), join(place, recordName))
}

function readRecord(file: string): LayerRecord | undefined {
  try {
    const { units, opaque, home, kind, times, modes, at, over, hides, from, of, repositories } = JSON.parse(
      readBounded(file, { most: mostOfRecord }).toString('utf8'),
    )
    const isUnit = (one: unknown) =>
      typeof one === 'object' && one !== null && 'path' in one && isPath(one.path) && 'stamp' in one
    const isWhole = Array.isArray(units) && units.every(isUnit) && Array.isArray(opaque) && opaque.every(isPath)
    if (!isWhole) return undefined
    return {
      ...{ units, opaque, home: home === true },
      ...((kind === 'overlay' || kind === 'copy') && { kind }),
      ...(Array.isArray(times) && { times: times.filter(isTime) }),
      ...(Array.isArray(modes) && { modes: modes.filter(isFolderMode) }),
      // One of an earlier version was compared with the disk when it was made.
      at: typeof at === 'number' ? at : madeAt(dirname(file)),
      ...(Array.isArray(over) && { over: over.filter(isChange) }),
      ...(Array.isArray(hides) && { hides: hides.filter(isPath) }),
      ...(typeof from === 'string' && { from: from as LayerId }),
      ...(Array.isArray(of) && { of: of.filter(isId) }),
      ...(Array.isArray(repositories) && { repositories: repositories.filter(isRepositoryRecord) }),
    }
  } catch {
    return undefined
  }
}

function isId(one: unknown): one is LayerId {
  return typeof one === 'string' && isLayerName(one)
}

function isTime(one: unknown): one is ShownTime {
  if (typeof one !== 'object' || one === null) return false
  const { path, content, time } = one as Partial<Record<string, unknown>>
  return isPath(path) && typeof content === 'string' && typeof time === 'number' && Number.isFinite(time)
}

function isFolderMode(one: unknown): one is FolderMode {
  if (typeof one !== 'object' || one === null) return false
  const { path, mode, was } = one as Partial<Record<string, unknown>>
  const isMode = (value: unknown) => value === null || (Number.isInteger(value) && Number(value) >= 0)
  return isPath(path) && isMode(mode) && isMode(was)
}

function isChange(one: unknown): one is readonly [VirtualPath, string] {
  return Array.isArray(one) && isPath(one[0]) && typeof one[1] === 'string'
}

function isRepositoryRecord(one: unknown): one is RepositoryRecord {
  if (typeof one !== 'object' || one === null) return false
  const { unit, head, person } = one as Partial<Record<string, unknown>>
  const isText = (value: unknown) => value === null || typeof value === 'string'
  const isKnown = (ref: unknown) => Array.isArray(ref) && typeof ref[0] === 'string' && isText(ref[1])
  return isPath(unit) && isText(head) && Array.isArray(person) && person.every(isKnown)
}

/** An absolute path without steps up, as every path of a project is. */
function isPath(value: unknown): value is VirtualPath {
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

/** What commands left stays as it was, but it cannot be shown. */
function asJoinError(error: unknown): BranchMountError {
  if (error instanceof BranchMountError) return error
  if (isFullDisk(error))
    return new BranchMountError(
      'no_space',
      'The disk is full, so what commands left in ignored files cannot be joined with what changed in the folder. Nothing is lost. Free some space and run it again.',
    )
  const why = error instanceof Error ? error.message : String(error)
  return new BranchMountError(
    'failed',
    `What commands left in ignored files cannot be joined with what changed in the folder: ${why}. Nothing is lost. Run it again, or clean up the environment of this thread in Settings → Storage.`,
  )
}

function isFullDisk(error: unknown): boolean {
  const text = error instanceof Error ? `${'code' in error ? error.code : ''} ${error.message}` : ''
  return /ENOSPC|EDQUOT|No space left|Disk quota/.test(text)
}

/** A full disk in words for a person. Anything else stays what it is. */
export function explainFullDisk(error: unknown): unknown {
  if (!isFullDisk(error)) return error
  return new BranchMountError(
    'no_space',
    'The disk is full, so there is no room for what commands leave in ignored files. Free some space and run it again.',
  )
}
