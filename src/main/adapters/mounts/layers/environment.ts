import { BranchMountError, type MissingLayers } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAsOwner } from '../../system/as-owner.ts'
import type { HoldLayer } from '../mount-folder.ts'
import type { MountRules } from '../mount-rules.ts'
import type { Layer, LayerKind, LayerStore } from './layer-store.ts'
import { isStampOf, isStillUnit, type UnitSurroundings } from './unit-stamps.ts'

/** The layers that a mount shows. A layer that no longer fits the branch or the disk is left out or replaced. */
export interface FittingEnvironment {
  /** The oldest first. */
  readonly layers: readonly Layer[]
  /** Paths that were given up, sorted. */
  readonly evicted: readonly VirtualPath[]
  /** Why layers are missing. Null when all are there. */
  readonly missing: MissingLayers | null
}

/**
 * Finds the layers and gives up what no longer fits. A path that is given up in one layer is given up in all of them,
 * because they were made on top of each other.
 */
export async function fitEnvironment(
  store: LayerStore,
  { environment: wanted, kind }: { readonly environment: readonly LayerId[]; readonly kind: LayerKind },
  rules: MountRules,
  around: UnitSurroundings,
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
  const stale = new Set(layers.flatMap((layer) => staleUnits(layer, rules, around)))
  const gap = wanted[lost]
  const missing = gap === undefined ? null : store.read(gap) ? 'other_kind' : store.whyMissing(gap)
  if (stale.size === 0) return { layers, evicted: [], missing }
  const gone = layers.flatMap(({ units }) =>
    units
      .map(({ path }) => path)
      .filter((path) => [...stale].some((one) => isWithin(path, one) || isWithin(one, path))),
  )
  const left: Layer[] = []
  for (const layer of layers) {
    const touched = layer.units.some(({ path }) => gone.includes(path))
    const id = touched ? await store.without(layer, gone, hold) : layer.id
    const fitting = id === null ? undefined : store.read(id)
    if (fitting) left.push(fitting)
  }
  return { layers: left, evicted: [...new Set(gone)].sort(), missing }
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
  } catch (error) {
    if (!(error instanceof BranchMountError) || error.code !== 'no_space') throw error
    return { added: [], unkept: error.message }
  }
}

function staleUnits(layer: Layer, rules: MountRules, around: UnitSurroundings): readonly VirtualPath[] {
  const files = { files: layer.files, opaque: new Set(layer.opaque) }
  return layer.units
    .filter(
      ({ path, stamp }) =>
        !isStillUnit(layer.files, path, rules, around.rootFolder) || !isStampOf(stamp, files, path, around),
    )
    .map(({ path }) => path)
}

/** What the layers have at a path; undefined for nothing, also where the topmost one says that it is gone. */
export function kindInLayers(layers: readonly Layer[], path: VirtualPath): 'folder' | 'other' | 'gone' | undefined {
  for (const { files } of layers.toReversed()) {
    const stats = lookAsOwner(`${files}${path}`)
    if (stats) return stats.isDirectory() ? 'folder' : stats.isCharacterDevice() ? 'gone' : 'other'
  }
  return undefined
}

/** The layers that a copy needs: for each path, the newest one that holds it. The oldest come first. */
export function newestUnits(
  layers: readonly Layer[],
): readonly { readonly layer: Layer; readonly path: VirtualPath }[] {
  const found: { readonly layer: Layer; readonly path: VirtualPath }[] = []
  for (const layer of layers.toReversed())
    for (const { path } of layer.units)
      if (!found.some((newer) => isWithin(path, newer.path))) found.push({ layer, path })
  return found.toReversed()
}
