import { readdirSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Evicted } from '#core/ports/branch-mounts.ts'
import { ancestorsOf, isWithin, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { lookAt, namesIn } from '../../system/look-at.ts'
import { readRegular } from '../mount-base.ts'
import type { MountRules } from '../mount-rules.ts'
import type { Layer } from './layer-store.ts'
import type { UnitSurroundings } from './unit-stamps.ts'

/** A path at which a layer has something, and what lies below the layer changed to something else since. */
export interface Collision {
  readonly path: VirtualPath
  readonly why: Evicted['why']
  /**
   * A layer that had removed it. Only what the layers below have there goes: nothing of it is kept, and nobody is told. Absent for
   * what no layer had removed.
   */
  readonly removedBy?: Layer
  /** True where the layers themselves removed it and nothing lies below them, so that nobody sees it go. Absent otherwise. */
  readonly isGone?: true
}

/** The paths at which a layer has something that must go. `layers` are all of them, the oldest first. */
export function collisionsFor(
  layer: Layer,
  collisions: ReadonlyMap<VirtualPath, Collision>,
  layers: readonly Layer[],
): readonly VirtualPath[] {
  const at = layers.indexOf(layer)
  return [...collisions.values()].flatMap(({ path, removedBy }) =>
    removedBy === undefined || at < layers.indexOf(removedBy) ? [path] : [],
  )
}

/** What changed below a layer since it was made. */
export interface Below {
  /** What lies there now. Undefined for nothing. */
  at(path: VirtualPath): 'folder' | 'other' | undefined
  /** Why what lies there is newer than the layer. Undefined when it is not, or nothing lies there. */
  whyNewer(path: VirtualPath): Evicted['why'] | undefined
  /** True for a folder that was made after the layer, so that all in it is newer. */
  isNewFolder(path: VirtualPath): boolean
  /** Names in a folder, of everything that can be newer. */
  names(folder: VirtualPath): Iterable<string>
  /** True for what is newer and the same as what the layer has there. */
  isSame(path: VirtualPath): boolean
}

/**
 * What the disk and the branch have below a layer. A file on disk is newer when it was changed after the mount of the
 * layer was opened, and one of the branch when the layer was not made over it.
 */
export function belowOf(layer: Layer, { rootFolder, overlay }: UnitSurroundings): Below {
  const over = new Map(layer.over)
  const filled = new Set([...overlay].flatMap(([path, change]) => (change === 'absent' ? [] : ancestorsOf(path))))
  const isOfBranch = (path: VirtualPath) => [path, ...ancestorsOf(path)].some((one) => overlay.has(one))
  const onDisk = (path: VirtualPath) =>
    rootFolder === null || isOfBranch(path) ? undefined : lookAt(join(rootFolder, path))
  return {
    at(path) {
      const change = overlay.get(path)
      if (change === 'absent') return filled.has(path) ? 'folder' : undefined
      if (change !== undefined) return change === 'directory' ? 'folder' : 'other'
      const stats = onDisk(path)
      if (stats) return stats.isDirectory() ? 'folder' : 'other'
      return filled.has(path) ? 'folder' : undefined
    },
    whyNewer(path) {
      const change = overlay.get(path)
      if (change !== undefined) return change === over.get(path) ? undefined : 'branch'
      const stats = onDisk(path)
      return stats && stats.ctimeMs > layer.at ? 'disk' : undefined
    },
    isNewFolder: (path) => (onDisk(path)?.birthtimeMs ?? 0) > layer.at,
    *names(folder) {
      const start = folder === '/' ? '/' : `${folder}/`
      const found = new Set<string>()
      for (const path of overlay.keys())
        if (path.startsWith(start)) found.add(path.slice(start.length).split('/')[0] ?? '')
      if (rootFolder !== null && !isOfBranch(folder) && lookAt(join(rootFolder, folder))?.isDirectory())
        for (const name of namesIn(join(rootFolder, folder))) found.add(name)
      yield* found
    },
    isSame(path) {
      const stats = onDisk(path)
      return (
        stats !== undefined &&
        rootFolder !== null &&
        isSameEntry(join(layer.files, path), join(rootFolder, path), stats)
      )
    },
  }
}

/** The topmost paths at, above and in a unit at which both sides have something that cannot be joined. */
export function* collisionsOf(layer: Layer, unit: VirtualPath, below: Below): Generator<Collision> {
  for (const path of ancestorsOf(unit).toReversed()) {
    const why = below.at(path) === 'other' ? below.whyNewer(path) : undefined
    if (why !== undefined) return yield { path, why }
  }
  yield* collisionsAt(layer, unit, below)
  for (const path of layer.hides ?? []) {
    const why = isWithin(path, unit) && below.at(path) === 'other' ? below.whyNewer(path) : undefined
    if (why !== undefined) yield { path, why }
  }
}

function* collisionsAt(layer: Layer, path: VirtualPath, below: Below): Generator<Collision> {
  const own = lookAsOwner(join(layer.files, path))
  const there = below.at(path)
  if (!own) return
  if (own.isDirectory() && there !== 'other') {
    if (there === 'folder' || below.whyNewer(path) === undefined)
      for (const name of namesAt(layer, path)) yield* collisionsAt(layer, joinPath(path, name), below)
    // What the branch removed later is gone from the layers too.
    else yield { path, why: 'branch' }
    return
  }
  const why = below.whyNewer(path)
  // A removed folder to which something was added is opened instead.
  if (why === undefined || (isWhiteout(own) && there === 'folder')) return
  if (!below.isSame(path)) yield { path, why }
}

/** What a unit holds that no rule ignores any more. The rest of it becomes `units`. */
export function splitByRules(
  layer: Pick<Layer, 'files'> & Partial<Pick<Layer, 'hides'>>,
  path: VirtualPath,
  rules: MountRules,
): { readonly units: readonly VirtualPath[]; readonly collisions: readonly Collision[] } {
  const own = lookAsOwner(join(layer.files, path))
  if (!own) {
    const isIgnored = () => rules.isLeftOut(path, false) || rules.isIgnoredFolder(path)
    const hidesProject = layer.hides?.includes(path) && !isIgnored()
    return { units: [], collisions: hidesProject ? [{ path, why: 'rules' }] : [] }
  }
  const isStillIgnored = rules.isLeftOut(path, own.isDirectory()) || (isWhiteout(own) && rules.isIgnoredFolder(path))
  if (isStillIgnored) return { units: [path], collisions: [] }
  if (!own.isDirectory()) return { units: [], collisions: [{ path, why: 'rules' }] }
  const parts = namesAt(layer, path).map((name) => splitByRules(layer, joinPath(path, name), rules))
  return { units: parts.flatMap(({ units }) => units), collisions: parts.flatMap(({ collisions }) => collisions) }
}

/** What must be done to a layer for a folder in it to hide only what it hid when it was made. */
export interface Opening {
  /** Folders that hide everything below them. They become folders that hide only the paths in `hidden`. */
  readonly plain: VirtualPath[]
  /** Folders that the layer does not have, or had removed. */
  readonly made: VirtualPath[]
  readonly hidden: VirtualPath[]
  /** What lower layers have at paths that are no longer hidden: the branch had removed it. */
  readonly removed: VirtualPath[]
}

/**
 * Finds out how to open a folder that hides all that lies below it, in which something newer lies by now. `lower` are the
 * layers below it, of which everything stays hidden.
 */
export function openFolder(
  layer: Layer,
  folder: VirtualPath,
  below: Below,
  lower: readonly Layer[],
  into: Opening,
  collides: (path: VirtualPath) => boolean,
): void {
  const own = lookAsOwner(join(layer.files, folder))
  if (own?.isDirectory()) into.plain.push(folder)
  else into.made.push(folder)
  const inLayers = lower.flatMap((one) => namesAt(one, folder))
  for (const name of new Set([...inLayers, ...below.names(folder)])) {
    const path = joinPath(folder, name)
    const [mine, there] = [lookAsOwner(join(layer.files, path)), below.at(path)]
    if (collides(path)) continue
    const isInLower = lower.some((one) => lookAsOwner(join(one.files, path)))
    if (mine?.isDirectory() || (!mine && there === 'folder' && holdsNewer(path, below))) {
      if (mine || isInLower || !below.isNewFolder(path)) openFolder(layer, path, below, lower, into, collides)
    } else if (!mine && (there === 'other' ? below.whyNewer(path) : below.isNewFolder(path))) {
      if (isInLower) into.removed.push(path)
    } else if (!mine) into.hidden.push(path)
  }
}

/** True when something newer lies in a folder. */
function holdsNewer(folder: VirtualPath, below: Below): boolean {
  for (const name of below.names(folder)) {
    const path = joinPath(folder, name)
    const there = below.at(path)
    if (there === 'folder' ? below.isNewFolder(path) || holdsNewer(path, below) : there && below.whyNewer(path))
      return true
  }
  return false
}

/** The folders that hide all below them and in which something newer lies, and removed folders of that kind. */
export function* foldersToOpen(
  layer: Layer,
  unit: VirtualPath,
  below: Below,
  opaque: ReadonlySet<VirtualPath>,
  collides: (path: VirtualPath) => boolean,
): Generator<VirtualPath> {
  const own = lookAsOwner(join(layer.files, unit))
  if (!own || below.at(unit) !== 'folder') return
  const hidesAll = isWhiteout(own) || opaque.has(unit)
  if (hidesAll) {
    if (holdsNewer(unit, below) || hasIn(layer, unit, collides)) yield unit
  } else if (own.isDirectory())
    for (const name of namesAt(layer, unit)) yield* foldersToOpen(layer, joinPath(unit, name), below, opaque, collides)
}

function hasIn(layer: Layer, folder: VirtualPath, collides: (path: VirtualPath) => boolean): boolean {
  return namesAt(layer, folder).some((name) => {
    const path = joinPath(folder, name)
    return collides(path) || hasIn(layer, path, collides)
  })
}

function namesAt({ files }: Pick<Layer, 'files'>, folder: VirtualPath): readonly string[] {
  const place = join(files, folder)
  return lookAsOwner(place)?.isDirectory() ? asOwner(place, () => readdirSync(place)) : []
}

/** The mark of an overlay file system for what was removed. */
function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0
}

/**
 * True when a newer layer has something at the path, or hides it. `opaqueIn` gives the folders of a layer that hide what older ones
 * have: `opaque` of its record are those that hid something of the disk, where an older layer may have removed it.
 */
export function isHiddenBy(
  newer: readonly Layer[],
  path: VirtualPath,
  opaqueIn: (layer: Layer) => ReadonlySet<VirtualPath>,
): boolean {
  return newer.some(
    (layer) =>
      layer.hides?.includes(path) === true ||
      [path, ...ancestorsOf(path)].some((one) => {
        const stats = lookAsOwner(join(layer.files, one))
        return stats !== undefined && (one === path || !stats.isDirectory() || opaqueIn(layer).has(one))
      }),
  )
}

export function isCovered(path: VirtualPath, taken: Iterable<VirtualPath>): boolean {
  for (const one of taken) if (isWithin(path, one)) return true
  return false
}

function isSameEntry(own: string, other: string, there: Stats): boolean {
  const stats = lookAsOwner(own)
  try {
    if (stats?.isSymbolicLink() && there.isSymbolicLink())
      return asOwner(own, () => readlinkSync(own)) === readlinkSync(other)
    const isLike =
      stats?.isFile() && there.isFile() && stats.size === there.size && (stats.mode & 0o111) === (there.mode & 0o111)
    return (
      isLike === true &&
      Buffer.compare(
        asOwner(own, () => readRegular(own)),
        readRegular(other),
      ) === 0
    )
  } catch {
    return false
  }
}
