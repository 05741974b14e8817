import { join } from 'node:path'
import { BranchMountError } from '#core/ports/branch-mounts.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAsOwner } from '../../system/as-owner.ts'
import type { CommandUser } from '../../system/command-user.ts'
import type { RepositoryRecord } from '../git/repository-refs.ts'
import type { HoldLayer } from '../mount-folder.ts'
import { runInside } from '../namespace.ts'
import { makeWay } from './copied-layers.ts'
import { originsOf, recordOfUnits } from './environment.ts'
import { joinModes } from './folder-modes.ts'
import { joinLayers } from './join-script.ts'
import { linkTrees } from './layer-folders.ts'
import { countEntries } from './layer-sizes.ts'
import type { Layer, LayerParts, LayerRecord, LayerStore } from './layer-store.ts'
import { isRepository, type UnitSurroundings } from './unit-stamps.ts'

/** How much larger than all that is newer a layer may be to become one with it. */
const muchLarger = 4

/**
 * Where the newest layers begin that are to become one, so that at most `most` are left; the length when they are few enough.
 * `sizes` begin with the oldest. At least half of `most` become one, so that this is rare, and with them every older one that is
 * not much larger: what a large one holds is linked again only when what is newer has grown to its size.
 */
export function startOfRun(sizes: readonly number[], most: number): number {
  if (sizes.length <= most) return sizes.length
  let first = Math.max(0, Math.min(sizes.length - Math.max(2, Math.ceil(most / 2)), most - 1))
  let newer = sizes.slice(first).reduce((sum, size) => sum + size, 0)
  for (let size = sizes[first - 1]; size !== undefined && size <= muchLarger * newer; size = sizes[first - 1]) {
    newer += size
    first -= 1
  }
  return first
}

/**
 * The layers of a list, few enough that the cost of a command does not grow with the number of those before it. Where they are more
 * than `store.most`, the newest become one of hard links, which shows the same. The list must fit what lies below it since
 * `around.at`. No layer is changed, so lists that name the old ones still show what they did. Never fails: a longer list is only
 * slower.
 */
export async function shortenStack(
  store: LayerStore,
  layers: readonly Layer[],
  around: UnitSurroundings & { readonly at: number },
  user: CommandUser,
  hold: HoldLayer,
): Promise<readonly Layer[]> {
  // What the setup left stays on its own: a list that begins with it follows it.
  const ofSetup = store.ofSetup()
  const apart = layers.findLastIndex(({ id }) => ofSetup.has(id)) + 1
  if (layers.length - apart <= store.most) return layers
  try {
    const sizes = await countEntries(
      store.folder,
      layers.slice(apart).map(({ id }) => id),
    )
    const first = apart + startOfRun(sizes, store.most)
    const one = await joinRun(store, layers.slice(first), around, user, hold)
    return [...layers.slice(0, first), one]
  } catch {
    // Such as on a full disk. It is left in peace for longer each time.
    store.most *= 2
    return layers
  }
}

/** A list that one mount can show. Lists of earlier versions of the app are long. Throws `BranchMountError`. */
export async function requireMountable(
  store: LayerStore,
  layers: readonly Layer[],
  around: UnitSurroundings & { readonly at: number },
  user: CommandUser,
  hold: HoldLayer,
): Promise<readonly Layer[]> {
  const short = layers.length > store.mountable ? await shortenStack(store, layers, around, user, hold) : layers
  if (short.length <= store.mountable) return short
  throw new BranchMountError('failed', tooDeep)
}

const tooDeep =
  'The branch’s environment has more layers than the system can show, and they could not be joined. Free some space, or clean up the environment of this thread in Settings → Storage.'

async function joinRun(
  store: LayerStore,
  run: readonly Layer[],
  around: UnitSurroundings & { readonly at: number },
  user: CommandUser,
  hold: HoldLayer,
): Promise<Layer> {
  const isCopy = run.at(-1)?.kind === 'copy'
  const made = await store.make(null, hold, async (parts, id) => {
    if (isCopy) await joinCopies(run, parts)
    else
      await runInside(
        joinLayers(
          store.folder,
          id,
          run.map((layer) => layer.id),
          user,
        ),
      )
    return recordOf(run, parts, around)
  })
  if (!made) throw new Error('A layer has no record.')
  return made
}

/** What one layer says that shows what these show. */
function recordOf(
  run: readonly Layer[],
  { files }: LayerParts,
  around: UnitSurroundings & { readonly at: number },
): LayerRecord {
  const newest = run.at(-1)
  const hides = run.some((layer) => layer.hides) ? [...new Set(run.flatMap((layer) => layer.hides ?? []))] : undefined
  const isFolder = (path: VirtualPath) => lookAsOwner(join(files, path))?.isDirectory() === true
  const opaque = [...new Set(run.flatMap((layer) => layer.opaque))].filter(isFolder)
  const shown = { files, opaque, ...(hides && { hides }) }
  const repositories = joinRecords(run)
  const modes = joinModes(run)
  return {
    ...recordOfUnits(shown, topmost(run.flatMap(({ units }) => units.map(({ path }) => path))), around, around.at),
    ...{ opaque, home: run.some(({ home }) => home), at: around.at, of: run.flatMap(originsOf) },
    ...(newest?.kind && { kind: newest.kind }),
    ...(newest?.times && { times: newest.times }),
    ...(modes.length > 0 && { modes }),
    ...(hides && { hides }),
    ...(repositories.length > 0 && { repositories }),
  }
}

/** A repository is a unit also inside of another one. */
function topmost(paths: readonly VirtualPath[]): readonly VirtualPath[] {
  const folders = new Set(paths)
  return [...folders]
    .filter(
      (path) =>
        isRepository(path) || ![...folders].some((one) => one !== path && !isRepository(one) && isWithin(path, one)),
    )
    .sort(byCodeUnit)
}

/** What the newest layer knows of each repository, and what older ones know of other references. */
function joinRecords(run: readonly Layer[]): readonly RepositoryRecord[] {
  const joined = new Map<VirtualPath, RepositoryRecord>()
  for (const { repositories = [] } of run)
    for (const { unit, head, person } of repositories)
      joined.set(unit, { unit, head, person: [...new Map([...(joined.get(unit)?.person ?? []), ...person])] })
  return [...joined.values()]
}

/** Lays copies' layers over each other, as a view does, and the home of the newest that has one. */
async function joinCopies(run: readonly Layer[], { files, homeFiles }: LayerParts): Promise<void> {
  for (const layer of run) {
    if (!layer.hides) throw new Error('A layer of an earlier version holds whole units.')
    makeWay(layer, files)
    await linkTrees([`${layer.files}/.`], files)
  }
  const newest = run.findLast(({ home }) => home)
  if (newest) await linkTrees([`${newest.homeFiles}/.`], homeFiles)
}

/** The layers that became one, if all of them are still there; otherwise that one. */
export function partsOfJoined(store: LayerStore, layer: Layer): readonly Layer[] {
  const parts = (layer.of ?? []).flatMap((id) => store.read(id) ?? [])
  return parts.length > 0 && parts.length === layer.of?.length ? parts : [layer]
}
