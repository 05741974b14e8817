import { chmodSync, lstatSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Evicted } from '#core/ports/branch-mounts.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { ancestorsOf, isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { lookAt } from '../../system/look-at.ts'
import { removeInMadeSync } from '../../system/made-folders.ts'
import type { RepositoryJoin } from '../git/join-repository.ts'
import type { HoldLayer } from '../mount-folder.ts'
import { runInside } from '../namespace.ts'
import { type Collision, collisionsFor, type Opening } from './collisions.ts'
import { findOpaque } from './join-script.ts'
import { hidePaths, linkTrees, makePlain, moveInto, removeFromLayer } from './layer-folders.ts'
import type { Layer, LayerParts, LayerRecord, LayerStore } from './layer-store.ts'

/** What must change for layers to show only what nothing newer takes the place of. */
export interface LayerChanges {
  /** The number of the folder in the home of commands that keeps what gives way this time. */
  readonly number: number
  /** Each path, and all below it, goes from all layers that it is about. The newest version is kept in the home of commands. */
  readonly collisions: ReadonlyMap<VirtualPath, Collision>
  /** Of these nothing is kept: programs must not see it. */
  readonly secret: ReadonlySet<VirtualPath>
  readonly openings: ReadonlyMap<Layer, Opening>
  /** What a layer says of itself after that. Null when nothing of its files is left. */
  readonly describe: (layer: Layer, parts: LayerParts, hidesAll: ReadonlySet<VirtualPath>) => LayerRecord
  readonly repositories: readonly RepositoryJoin[]
  /** What the layer on top says of repositories. `files` are its own. */
  readonly describeTop: (files: string) => Pick<LayerRecord, 'units' | 'repositories'>
}

/** Where commands find what had to give way, below their home. Each time it gets a folder with a number of its own. */
const keptFolder = 'kept'

/**
 * Makes layers without what collides, each from hard links to the one that it stands for, and one more on top that keeps in
 * the home of commands what gave way. No layer is changed. Throws `BranchMountError`; nothing is lost then.
 */
export async function joinChanges(
  store: LayerStore,
  layers: readonly Layer[],
  { number, collisions, secret, openings, describe, repositories, describeTop }: LayerChanges,
  rootFolder: string | null,
  hold: HoldLayer,
): Promise<{ readonly layers: readonly Layer[]; readonly evicted: readonly Evicted[] }> {
  const kept = new Map<VirtualPath, string>()
  const joined: Layer[] = []
  const kind = layers.at(-1)?.kind ?? 'overlay'
  const top = await store.make(null, hold, async (home) => {
    for (const layer of layers) {
      const taken = collisionsFor(layer, collisions, layers).filter((path) => isIn(layer, path))
      const opening = openings.get(layer)
      const isTouched = taken.length > 0 || opening !== undefined
      const made = isTouched
        ? await store.make(layer, hold, (parts) => change(layer, parts, taken, opening, home))
        : layer
      if (made) joined.push(made)
    }
    for (const { writes, times, losers } of repositories) {
      for (const path of losers) {
        await keepCopy(layers, path, join(home.homeFiles, keptFolder, String(number)))
        kept.set(path, `~/${keptFolder}/${number}${path}`)
      }
      for (const [path, bytes] of writes) {
        await writeFileAt(home.files, path, bytes, rootFolder)
        const time = times.get(path)
        if (time !== undefined) utimesSync(join(home.files, path), time / 1000, time / 1000)
      }
    }
    if (kept.size === 0 && repositories.length === 0) return null
    const hides = repositories.flatMap((one) => one.hides)
    if (kind === 'overlay') await hidePaths(home.files, hides)
    const newestHome = layers.findLast((layer) => layer.home)
    // A copy shows the home of its newest layer alone.
    if (kind === 'copy' && newestHome)
      for (const name of readdirSync(newestHome.homeFiles))
        if (name === keptFolder) await linkInto(join(newestHome.homeFiles, name), join(home.homeFiles, name))
        else await linkTrees([join(newestHome.homeFiles, name)], home.homeFiles)
    const times = layers.at(-1)?.times
    return {
      ...describeTop(home.files),
      ...{ opaque: [], home: readdirSync(home.homeFiles).length > 0, kind, at: store.now() },
      ...(times && { times }),
      ...(kind === 'copy' && { hides }),
    }
  })
  const placeOf = (path: VirtualPath) => kept.get(path) ?? null
  const evicted: readonly Evicted[] = [
    ...[...collisions.values()].filter(isTold).map(({ path, why }) => ({ path, why, keptAs: placeOf(path) })),
    ...repositories.flatMap((one) => [
      ...one.evicted,
      ...one.losers.map((path) => ({ path, why: one.why, keptAs: placeOf(path) })),
    ]),
  ]
  return {
    layers: top ? [...joined, top] : joined,
    evicted: evicted.toSorted((a, b) => byCodeUnit(a.path, b.path)),
  }

  async function change(
    layer: Layer,
    parts: LayerParts,
    taken: readonly VirtualPath[],
    opening: Opening | undefined,
    home: LayerParts,
  ): Promise<LayerRecord | null> {
    for (const path of taken) {
      const from = join(parts.files, path)
      const stats = lookAsOwner(from)
      const collision = collisions.get(path)
      if (stats && !secret.has(path) && (!collision || isTold(collision))) {
        moveInto(from, join(home.homeFiles, keptFolder, String(number), path))
        if (stats.isCharacterDevice()) kept.delete(path)
        else kept.set(path, `~/${keptFolder}/${number}${path}`)
      }
      // A folder to open stays, also when nothing else is left in it: it goes on hiding what it hid.
      removeFromLayer(parts.files, path, (folder) => opening?.plain.includes(folder) === true)
    }
    if (opening) await carryOut(opening, parts.files, rootFolder)
    const isHome = (lookAt(parts.homeFiles) && readdirSync(parts.homeFiles).length > 0) === true
    const record = describe(layer, parts, new Set(opening?.plain))
    return record.units.length === 0 && !isHome && !record.modes ? null : record
  }
}

function isTold({ removedBy, isGone }: Collision): boolean {
  return removedBy === undefined && isGone !== true
}

/** Links what is in one folder into another one that is there already. */
async function linkInto(from: string, to: string): Promise<void> {
  if (!lookAsOwner(to)) mkdirSync(to, { mode: 0o700 })
  const folders = asOwner(from, () => readdirSync(from)).map((name) => join(from, name))
  if (folders.length > 0) await linkTrees(folders, to)
}

/** Also true where the layer only says that something is gone. */
function isIn(layer: Layer, path: VirtualPath): boolean {
  return lookAsOwner(join(layer.files, path)) !== undefined || (layer.hides ?? []).some((one) => isWithin(one, path))
}

/** Of the next time that something of these layers gives way. `units` are repositories. */
export function nextNumber(layers: readonly Layer[], units: readonly VirtualPath[]): number {
  const folders = layers.flatMap(({ files, homeFiles }) => [
    join(homeFiles, keptFolder),
    ...units.map((unit) => join(files, unit, 'refs', keptFolder)),
  ])
  const names = folders.flatMap((folder) =>
    lookAsOwner(folder)?.isDirectory() ? asOwner(folder, () => readdirSync(folder)) : [],
  )
  return Math.max(0, ...names.map(Number).filter(Number.isSafeInteger)) + 1
}

/** Puts what the layers have at a path into a folder, by hard links. */
async function keepCopy(layers: readonly Layer[], path: VirtualPath, into: string): Promise<void> {
  const newest = layers.findLast(({ files }) => lookAsOwner(join(files, path)))
  if (!newest) return
  const place = dirname(join(into, path))
  mkdirSync(place, { recursive: true, mode: 0o700 })
  await linkTrees([join(newest.files, path)], place)
}

/** With folders as the project has them, because a mount shows the mode of the topmost layer. */
async function writeFileAt(
  files: string,
  path: VirtualPath,
  bytes: Uint8Array,
  rootFolder: string | null,
): Promise<void> {
  for (const folder of ancestorsOf(path).toReversed()) {
    if (lookAsOwner(join(files, folder))) continue
    mkdirSync(join(files, folder), { mode: 0o755 })
    const below = rootFolder === null ? undefined : lookAt(join(rootFolder, folder))
    if (below?.isDirectory()) chmodSync(join(files, folder), below.mode & 0o7777)
  }
  await writeFile(join(files, path), bytes, { mode: 0o644 })
}

async function carryOut({ plain, made, hidden }: Opening, files: string, rootFolder: string | null): Promise<void> {
  for (const path of made) {
    const below = rootFolder === null ? undefined : lookAt(join(rootFolder, path))
    if (lookAsOwner(join(files, path))) removeInMadeSync(join(files, path))
    asOwner(join(files, path), () => mkdirSync(join(files, path)))
    if (below?.isDirectory()) chmodSync(join(files, path), below.mode & 0o7777)
  }
  for (const path of plain) if (lstatSync(join(files, path)).isDirectory()) makePlain(files, path)
  await hidePaths(files, hidden)
}

/**
 * The topmost folders of each layer that hide all that lies below them. One process finds them for all layers that were not asked
 * about before, since nobody changes a layer.
 */
export async function opaqueFolders(
  store: LayerStore,
  layers: readonly Layer[],
): Promise<(layer: Layer) => ReadonlySet<VirtualPath>> {
  const { opaque } = store
  const asked = layers.filter(({ id, kind }) => kind !== 'copy' && !opaque.has(id)).map(({ id }) => id)
  if (asked.length > 0) {
    const lines = (await runInside(findOpaque(store.folder, asked)))
      .toString()
      .split('\0')
      .filter((line) => line !== '')
    let folders = new Set<VirtualPath>()
    for (const line of lines) {
      if (!line.startsWith('/')) folders.add(`/${line}` as VirtualPath)
      else {
        folders = new Set()
        opaque.set(line.slice(1) as LayerId, folders)
      }
    }
  }
  return ({ id }) => opaque.get(id) ?? new Set()
}
