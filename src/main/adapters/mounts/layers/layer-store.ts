import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LayerId } from '#shared/model/ids.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { removeInMade } from '../../system/made-folders.ts'
import { asSetup, runInside } from '../namespace.ts'
import { createJoinedLayers, type JoinedLayers } from './joined-layers.ts'
import { removeFromLayer } from './layer-folders.ts'

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
}

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
  /** Takes over both folders by renaming them, so that they are no longer where they were. */
  add(folders: { readonly files: string; readonly home: string }, record: LayerRecord): Promise<Layer>
  /** A layer like this one without these paths. Null when nothing of it is left. */
  without(layer: Layer, gone: readonly VirtualPath[]): Promise<LayerId | null>
  /** Every layer, and what a crash left of one. */
  list(): Promise<readonly LayerId[]>
  remove(id: LayerId): Promise<void>
}

const recordName = 'layer.json'

/** `folder` is one that the app made. A stack of more than `mostInStack` folders is made short. */
export function createLayerStore(folder: string, mostInStack?: number): LayerStore {
  const read = (id: LayerId): Layer | undefined => {
    const place = join(folder, id)
    const record = readRecord(join(place, recordName))
    return record && { ...record, id, files: join(place, 'files'), homeFiles: join(place, 'home') }
  }
  const newId = () => createHash('sha256').update(randomUUID()).digest('hex').slice(0, 16) as LayerId

  return {
    folder,
    joined: createJoinedLayers(folder, mostInStack),
    read,
    async add({ files, home }, record) {
      const id = newId()
      const place = join(folder, id)
      mkdirSync(place, { mode: 0o700 })
      renameSync(files, join(place, 'files'))
      renameSync(home, join(place, 'home'))
      writeRecord(place, record)
      return { ...record, id, files: join(place, 'files'), homeFiles: join(place, 'home') }
    },
    async without(layer, gone) {
      const isGone = (path: VirtualPath) => gone.some((one) => isWithin(path, one) || isWithin(one, path))
      const units = layer.units.filter(({ path }) => !isGone(path))
      if (units.length === 0 && !layer.home) return null
      const id = newId()
      const place = join(folder, id)
      mkdirSync(place, { mode: 0o700 })
      // Hard links share the files, since nobody writes to a layer. The folders keep their marks and times.
      await runInside(asSetup(['cp', '-al', '--', layer.files, layer.homeFiles, place]))
      const wanted = new Set(units.map(({ path }) => path))
      for (const { path } of layer.units)
        if (!wanted.has(path)) removeFromLayer(join(place, 'files'), path, () => false)
      writeRecord(place, { ...layer, units, opaque: layer.opaque.filter((path) => !isGone(path)) })
      return id
    },
    list: async () =>
      (await readdir(folder, { withFileTypes: true })).filter(isLayer).map(({ name }) => name as LayerId),
    remove: async (id) => {
      if (existsSync(join(folder, id))) await removeInMade(join(folder, id))
    },
  }
}

function isLayer(entry: { readonly name: string; isDirectory(): boolean }): boolean {
  return entry.isDirectory() && /^[0-9a-f]{16}$/.test(entry.name)
}

function writeRecord(place: string, { units, opaque, home }: LayerRecord): void {
  writeFileSync(join(place, `${recordName}.new`), JSON.stringify({ units, opaque, home }), { mode: 0o600 })
  renameSync(join(place, `${recordName}.new`), join(place, recordName))
}

function readRecord(file: string): LayerRecord | undefined {
  try {
    const { units, opaque, home } = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(units) && Array.isArray(opaque) ? { units, opaque, home: home === true } : undefined
  } catch {
    return undefined
  }
}
