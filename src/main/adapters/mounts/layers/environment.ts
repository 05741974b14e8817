import { join } from 'node:path'
import { BranchMountError, type Evicted, type MissingLayers } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAsOwner } from '../../system/as-owner.ts'
import { lookAt } from '../../system/look-at.ts'
import { joinRepository, type RepositoryJoin, recordRepository } from '../git/join-repository.ts'
import type { RepositoryRecord } from '../git/repository-refs.ts'
import type { MountBase } from '../mount-base.ts'
import type { HoldLayer } from '../mount-folder.ts'
import type { MountRules } from '../mount-rules.ts'
import {
  type Below,
  belowOf,
  type Collision,
  collisionsFor,
  collisionsOf,
  foldersToOpen,
  isCovered,
  isHiddenBy,
  type Opening,
  openFolder,
  splitByRules,
} from './collisions.ts'
import { joinChanges, nextNumber, opaqueFolders } from './join-changes.ts'
import { explainFullDisk, type Layer, type LayerKind, type LayerRecord, type LayerStore } from './layer-store.ts'
import { findInLayers, type ShownLayer } from './shown-in-layers.ts'
import { changedRefs, isRepository, overlayAbout, stampUnit, type UnitSurroundings } from './unit-stamps.ts'

/** The layers that a mount shows. A layer that no longer fits the branch or the disk is replaced. */
export interface FittingEnvironment {
  /** The oldest first. */
  readonly layers: readonly Layer[]
  /** What is shown otherwise than the layers have it, sorted by path. */
  readonly evicted: readonly Evicted[]
  /** Why layers are missing. Null when all are there. */
  readonly missing: MissingLayers | null
}

/**
 * Finds the layers and joins them, path by path, with what the branch and the disk changed below them since. What only one
 * side has at a path stays. Where both have something, the newer one is shown, and that of the layers moves to a folder in
 * the home of commands: from all layers, because they were made on top of each other. `at` is the time by the clock of the
 * disk, from before this call.
 */
export async function fitEnvironment(
  store: LayerStore,
  { environment: wanted, kind }: { readonly environment: readonly LayerId[]; readonly kind: LayerKind },
  rules: MountRules,
  around: UnitSurroundings & {
    readonly base: MountBase
    readonly at: number
    readonly hiddenFiles: readonly VirtualPath[]
  },
  hold: HoldLayer,
): Promise<FittingEnvironment> {
  const found = wanted.map((id) => {
    const layer = store.read(id)
    return isShowable(layer, kind) ? layer : undefined
  })
  const lost = found.indexOf(undefined)
  // What lies above a lost layer was made on top of it.
  const layers = found.slice(0, lost < 0 ? undefined : lost).filter((layer) => layer !== undefined)
  store.use(layers)
  const gap = wanted[lost]
  const missing = gap === undefined ? null : store.read(gap) ? 'other_kind' : store.whyMissing(gap)
  // A repository fits, or not, as its newest layer left it.
  const newer = new Set<VirtualPath>()
  const stale = new Map(
    layers.toReversed().map((layer) => {
      const asked = layer.units.filter(({ path }) => !newer.has(path))
      for (const { path } of asked) if (isRepository(path)) newer.add(path)
      return [layer, staleUnits(layer, asked, rules, around)]
    }),
  )
  const moved = movedRepositories(layers, stale)
  const isFitting = moved.length === 0 && [...stale.values()].every((units) => units.every(isRepository))
  if (isFitting) return { layers, evicted: [], missing }

  const collisions = new Map<VirtualPath, Collision>()
  const openings = new Map<Layer, Opening>()
  const fits: Layer[] = []
  const opaqueIn = await opaqueFolders(store, layers)
  for (const [at, layer] of layers.entries()) {
    const units = (stale.get(layer) ?? []).filter((unit) => !isRepository(unit))
    if (units.length === 0) continue
    const below = belowOf(layer, around)
    const own = units.flatMap((unit) => [
      ...splitByRules(layer, unit, rules).collisions,
      ...collisionsOf(layer, unit, below),
    ])
    const real = own.filter(({ path }) => !isHiddenBy(layers.slice(at + 1), path, opaqueIn))
    for (const collision of real) {
      const { path, why } = collision
      const isGone = why === 'rules' && below.at(path) === undefined && findInLayers([layer], path) === 'gone'
      collisions.set(path, { ...collision, ...(isGone && { isGone }) })
    }
    const paths = new Set(real.map(({ path }) => path))
    const opening = openingOf(layer, units, {
      below,
      lower: layers.slice(0, at),
      opaque: opaqueIn(layer),
      collisions: paths,
    })
    // While this looks, a person may write what a newer layer has: that one is told of when it was looked at.
    for (const path of opening?.removed ?? [])
      if (collisions.get(path)?.removedBy || !collisions.has(path))
        collisions.set(path, { path, why: 'disk', removedBy: layer })
    if (opening) openings.set(layer, opening)
    else if (own.length === 0) fits.push(layer)
  }
  const describe = (layer: Layer, { files }: Pick<Layer, 'files'>, opened: ReadonlySet<VirtualPath>): LayerRecord => {
    const gone = collisionsFor(layer, collisions, layers)
    const opaque = layer.opaque.filter((path) => !opened.has(path) && !isCovered(path, gone))
    const hides = layer.hides?.filter((path) => !isCovered(path, gone))
    const units = layer.units.flatMap(({ path }) => partsOf(files, path, rules, hides))
    const { over: _over, ...rest } = layer
    const shown = { files, opaque, ...(hides && { hides }) }
    return {
      ...rest,
      ...recordOfUnits(shown, units, around, around.at),
      ...shown,
      from: originOf(layer),
      at: around.at,
    }
  }
  const number = nextNumber(layers, moved)
  const repositories: RepositoryJoin[] = []
  for (const unit of moved) repositories.push(await joinRepository({ unit, ...around, layers, number }))
  const newest = layers.findLast(({ units }) => units.some(({ path }) => moved.includes(path)))
  const isNew = ({ writes, hides }: RepositoryJoin) => writes.size + hides.length > 0
  const added = repositories.filter(isNew)
  for (const layer of new Set([...fits, ...(newest && added.length < repositories.length ? [newest] : [])])) {
    const known = repositories.filter((one) => !isNew(one)).map(({ record }) => record)
    store.describe(layer, restamped(layer, layer === newest ? known : [], around))
  }
  if (collisions.size + openings.size + added.length === 0) return { layers, evicted: [], missing }
  const secret = new Set(around.hiddenFiles)
  const records = added.map(({ record }) => record)
  const describeTop = (files: string) => ({
    units: recordOfUnits(
      { files, opaque: [] },
      records.map(({ unit }) => unit),
      around,
      around.at,
    ).units,
    ...(records.length > 0 && { repositories: records }),
  })
  const changes = { number, collisions, secret, openings, describe, repositories: added, describeTop }
  return { ...(await joinChanges(store, layers, changes, around.rootFolder, hold)), missing }
}

/** The repositories in layers of which the person has changed references since the newest of those layers. */
function movedRepositories(
  layers: readonly Layer[],
  stale: ReadonlyMap<Layer, readonly VirtualPath[]>,
): readonly VirtualPath[] {
  const units = new Set(layers.flatMap((layer) => layer.units.map(({ path }) => path).filter(isRepository)))
  return [...units].filter((unit) => {
    const newest = layers.findLast((layer) => layer.units.some(({ path }) => path === unit))
    return newest && stale.get(newest)?.includes(unit)
  })
}

/** What a layer says of itself when nothing of it collides with what is below it by now. */
function restamped(
  layer: Layer,
  known: readonly RepositoryRecord[],
  around: UnitSurroundings & { readonly at: number },
): LayerRecord {
  const { repositories = [], units } = layer
  const isKnown = (unit: VirtualPath) => known.some((one) => one.unit === unit)
  const left = repositories.filter(({ unit }) => !isKnown(unit))
  const stamps = new Map(
    recordOfUnits(
      layer,
      units.map(({ path }) => path),
      around,
      around.at,
    ).units.map((one) => [one.path, one]),
  )
  return {
    ...layer,
    // A repository that was not joined keeps the stamp that says so.
    units: units.map((one) => (isRepository(one.path) && !isKnown(one.path) ? one : (stamps.get(one.path) ?? one))),
    ...(repositories.length + known.length > 0 && { repositories: [...left, ...known] }),
    at: around.at,
  }
}

/** Units as a layer records them, and what the branch has around them. */
export function recordOfUnits(
  { opaque, ...layer }: Pick<Layer, 'files' | 'opaque' | 'hides'>,
  units: readonly VirtualPath[],
  around: UnitSurroundings,
  since?: number,
): Pick<LayerRecord, 'units' | 'over'> {
  const over = new Map(units.flatMap((unit) => overlayAbout(around.overlay, unit)))
  const unitFiles = { ...layer, opaque: new Set(opaque) }
  const stamped = units.map((path) => ({ path, stamp: stampUnit(unitFiles, path, around, since) }))
  return { units: stamped, ...(over.size > 0 && { over: [...over] }) }
}

/** What a new layer must remember of the repositories among its units, which lie over `layers`. */
export function recordOfRepositories(
  written: ShownLayer,
  units: readonly VirtualPath[],
  {
    base,
    rootFolder,
    layers,
    at,
  }: Pick<UnitSurroundings, 'rootFolder'> & {
    readonly base: MountBase
    readonly layers: readonly Layer[]
    readonly at: number
  },
): Pick<LayerRecord, 'repositories'> {
  const repositories = units.filter(isRepository).map((unit) => {
    const isKnown = rootFolder === null || !changedRefs(join(rootFolder, unit), at)
    return recordRepository(unit, base, [...layers, written], isKnown)
  })
  return repositories.length > 0 ? { repositories } : {}
}

/** The layer that programs left, of which this one has the files. */
export function originOf({ id, from }: Layer): LayerId {
  return from ?? id
}

/** The same for one that many became: all of them. */
export function originsOf(layer: Layer): readonly LayerId[] {
  return layer.of ?? [originOf(layer)]
}

/** What is left of a unit, after some of its paths are gone or no rule ignores it as a whole any more. */
function partsOf(
  files: string,
  unit: VirtualPath,
  rules: MountRules,
  hides: readonly VirtualPath[] = [],
): readonly VirtualPath[] {
  const left = splitByRules({ files }, unit, rules).units
  return left.length > 0 || !hides.some((path) => isWithin(path, unit)) ? left : [unit]
}

/** How to open folders that hide something newer. `lower` are the layers below. Undefined when there is none. */
export function openingOf(
  layer: Layer,
  units: readonly VirtualPath[],
  {
    below,
    lower,
    opaque,
    collisions,
  }: {
    readonly below: Below
    readonly lower: readonly Layer[]
    readonly opaque: ReadonlySet<VirtualPath>
    readonly collisions: { has(path: VirtualPath): boolean }
  },
): Opening | undefined {
  const opening: Opening = { plain: [], made: [], hidden: [], removed: [] }
  const collides = (path: VirtualPath) => collisions.has(path)
  for (const unit of units)
    for (const folder of foldersToOpen(layer, unit, below, opaque, collides))
      openFolder(layer, folder, below, lower, opening, collides)
  return opening.plain.length + opening.made.length > 0 ? opening : undefined
}

/** True for a layer that is there and was made for this kind of views. */
export function isShowable(layer: Layer | undefined, kind: LayerKind): layer is Layer {
  return layer !== undefined && (layer.kind ?? kind) === kind
}

export const nothingAdded = { added: [] } as const

/** Makes a layer. Without room for it there is none, and `unkept` says so. */
export async function keepIfRoom(
  make: () => Promise<Layer>,
): Promise<{ readonly added: readonly Layer[]; readonly unkept?: string }> {
  try {
    return { added: [await make()] }
  } catch (raw) {
    const error = explainFullDisk(raw)
    if (!(error instanceof BranchMountError) || error.code !== 'no_space') throw error
    return { added: [], unkept: error.message }
  }
}

/** Those of the layer's units of which something else lies below by now, or that no rule ignores any more. */
function staleUnits(
  layer: Layer,
  units: Layer['units'],
  rules: MountRules,
  around: UnitSurroundings,
): readonly VirtualPath[] {
  const files = { ...layer, opaque: new Set(layer.opaque) }
  return units
    .filter(
      ({ path, stamp }) =>
        stamp !== stampUnit(files, path, around) || !isStillUnit(layer.files, path, rules, around.rootFolder),
    )
    .map(({ path }) => path)
}

/** False for a unit that no rule ignores any more. */
function isStillUnit(files: string, unit: VirtualPath, rules: MountRules, rootFolder: string | null): boolean {
  const own = lookAsOwner(join(files, unit))
  if (own?.isDirectory() || own?.isFile()) return rules.isLeftOut(unit, own.isDirectory())
  const below = rootFolder === null ? undefined : lookAt(join(rootFolder, unit))
  // What was removed is gone from the layers below too, so only its rule says whether it was a folder.
  return rules.isLeftOut(unit, below?.isDirectory() ?? false) || (!below && rules.isLeftOut(unit, true))
}
