import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Evicted } from '#core/ports/branch-mounts.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { joinRepository, type RepositoryJoin } from '../git/join-repository.ts'
import type { LinkedRepository } from '../git/linked-repository.ts'
import { readRepository, shownValue } from '../git/repository-refs.ts'
import { type BaseNode, createMountBase, type MountBase, readRegular } from '../mount-base.ts'
import type { HoldLayer } from '../mount-folder.ts'
import { type Below, belowOf, type Collision, collisionsOf, isCovered, type Opening } from './collisions.ts'
import { openingOf, originsOf, recordOfUnits } from './environment.ts'
import { joinChanges, nextNumber, opaqueFolders } from './join-changes.ts'
import { linkTrees } from './layer-folders.ts'
import type { Layer, LayerRecord, LayerStore } from './layer-store.ts'
import { partsOfJoined } from './shorten-stack.ts'
import { findInLayers, kindInLayers, namesInLayers } from './shown-in-layers.ts'
import { isRepository } from './unit-stamps.ts'

/**
 * Puts a layer on top of layers that lie over the same start, as that of a process that ran beside commands. It is joined
 * by path and by reference, as layers are with what changes on disk: here what changes are the layers that the process did
 * not see. No layer is changed. Throws `BranchMountError`.
 */
export async function stackLayer(
  store: LayerStore,
  own: Layer,
  { start, onto }: { readonly start: readonly Layer[]; readonly onto: readonly Layer[] },
  { rootFolder, linked }: { readonly rootFolder: string | null; readonly linked: LinkedRepository | null },
  hold: HoldLayer,
): Promise<{ readonly layers: readonly Layer[]; readonly evicted: readonly Evicted[] }> {
  const seen = new Set(start.flatMap(originsOf))
  const isSeen = (layer: Layer) => originsOf(layer).every((id) => seen.has(id))
  const parts = onto.flatMap((layer) => (isSeen(layer) ? [layer] : partsOfJoined(store, layer)))
  const unseen = parts.filter((layer) => !isSeen(layer))
  if (unseen.length === 0) return { layers: [...onto, own], evicted: [] }
  const around = { rootFolder, overlay: new Map(own.over) }
  const units = own.units.map(({ path }) => path)
  const below = belowLayers(own, unseen, belowOf(own, around))
  const collisions = new Map<VirtualPath, Collision>()
  const files = units.filter((unit) => !isRepository(unit))
  for (const unit of files)
    for (const collision of collisionsOf(own, unit, below)) collisions.set(collision.path, collision)
  const lower = parts.filter(isSeen)
  const opaque = (await opaqueFolders(store, [own]))(own)
  const opening = openingOf(own, files, { below, lower, opaque, collisions })

  const disk = createMountBase(linked?.entries ?? [], rootFolder)
  const number = nextNumber([...onto, own], units.filter(isRepository))
  const repositories: RepositoryJoin[] = []
  for (const unit of units.filter(isRepository)) {
    if (kindInLayers(unseen, unit) === undefined) continue
    const began = readRepository(unit, disk, start)
    const before = (name: string) => shownValue(began, name)
    const base = baseOver(onto, disk)
    repositories.push(await joinRepository({ unit, base, rootFolder, layers: [own], number, lower: onto, before }))
  }
  const describe = (layer: Layer, parts: Pick<Layer, 'files'>, opened: ReadonlySet<VirtualPath>): LayerRecord => {
    const opaque = layer.opaque.filter((path) => !opened.has(path) && !isCovered(path, collisions.keys()))
    const hides = layer.hides?.filter((path) => !isCovered(path, collisions.keys()))
    const shown = { files: parts.files, opaque, ...(hides && { hides }) }
    const left = units.filter((unit) => lookAsOwner(join(parts.files, unit)) || hides?.length)
    return { ...layer, ...recordOfUnits(shown, left, around, layer.at), opaque, ...(hides && { hides }) }
  }
  const openings = new Map<Layer, Opening>(opening ? [[own, opening]] : [])
  const changes = { number, collisions, secret: new Set<VirtualPath>(), openings, describe, repositories }
  const joined = await joinChanges(store, [own], { ...changes, describeTop: () => ({ units: [] }) }, rootFolder, hold)
  const home = own.kind === 'copy' ? await joinHomes(store, onto, joined.layers, hold) : null
  return { layers: [...onto, ...joined.layers, ...(home ? [home] : [])], evicted: joined.evicted }
}

/** Copies show the home of the newest layer alone, so that gets what the others have and it lacks. */
async function joinHomes(
  store: LayerStore,
  onto: readonly Layer[],
  own: readonly Layer[],
  hold: HoldLayer,
): Promise<Layer | null> {
  const [below, above] = [onto.findLast(({ home }) => home), own.filter(({ home }) => home)]
  if (!below || above.length === 0) return null
  const homes = [below, ...above].toReversed()
  return store.make(null, hold, async ({ homeFiles }) => {
    for (const { homeFiles: from } of homes) await addMissing(from, homeFiles)
    return { units: [], opaque: [], hides: [], home: true, kind: 'copy', at: store.now() }
  })
}

async function addMissing(from: string, to: string): Promise<void> {
  for (const name of asOwner(from, () => readdirSync(from))) {
    const [source, place] = [join(from, name), join(to, name)]
    if (!lookAsOwner(place)) await linkTrees([source], to)
    else if (lookAsOwner(source)?.isDirectory() && lookAsOwner(place)?.isDirectory()) await addMissing(source, place)
  }
}

/** What layers that a process did not see left below its own. The disk and the branch are not newer than it here. */
function belowLayers(own: Layer, unseen: readonly Layer[], rest: Below): Below {
  const kindAt = (path: VirtualPath) => kindInLayers(unseen, path)
  return {
    at(path) {
      const kind = kindAt(path)
      return kind === undefined ? rest.at(path) : kind === 'gone' ? undefined : kind
    },
    whyNewer: (path) => (['folder', 'other'].includes(kindAt(path) ?? '') ? 'commands' : undefined),
    isNewFolder: () => false,
    *names(folder) {
      const found = unseen.flatMap(({ files }) => namesIn(join(files, folder)))
      yield* new Set([...found, ...rest.names(folder)])
    },
    isSame(path) {
      const newest = unseen.findLast(({ files }) => lookAsOwner(join(files, path)))
      return newest !== undefined && isSameFile(join(own.files, path), join(newest.files, path))
    },
  }
}

function namesIn(place: string): readonly string[] {
  return lookAsOwner(place)?.isDirectory() ? asOwner(place, () => readdirSync(place)) : []
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [lookAsOwner(one), lookAsOwner(other)]
  if (!first?.isFile() || !second?.isFile() || first.size !== second.size || first.mode !== second.mode) return false
  const read = (place: string) => asOwner(place, () => readRegular(place))
  return first.ino === second.ino || Buffer.compare(read(one), read(other)) === 0
}

/** What a mount of these layers shows over the disk. */
function baseOver(layers: readonly Layer[], base: MountBase): MountBase {
  const at = (path: VirtualPath): BaseNode | undefined => {
    const found = findInLayers(layers, path)
    if (typeof found !== 'object') return found === 'gone' ? undefined : base.at(path)
    const { stats, layer } = found
    const place = join(layer.files, path)
    if (stats.isSymbolicLink()) return { kind: 'symlink', target: readlinkSync(place) }
    if (!stats.isFile()) return stats.isDirectory() ? { kind: 'directory' } : undefined
    const read = () => asOwner(place, () => readRegular(place))
    return { kind: 'file', size: stats.size, executable: (stats.mode & 0o100) !== 0, read }
  }
  return {
    ...base,
    at,
    *names(folder) {
      for (const name of new Set([...namesInLayers(layers, folder), ...base.names(folder)]))
        if (at(joinPath(folder, name)) !== undefined) yield name
    },
  }
}
