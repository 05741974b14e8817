import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { MountCapture, MountChange, MountEntry, MountLook } from '#core/ports/branch-mounts.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAsOwner } from '../system/as-owner.ts'
import type { CommandUser } from '../system/command-user.ts'
import { namesIn } from '../system/look-at.ts'
import { removeInMadeSync } from '../system/made-folders.ts'
import { keepLost, splitBesidePerson } from './beside-person.ts'
import { createBranchLayer } from './branch-layer.ts'
import type { HiddenLocks } from './git/git-at-work.ts'
import { filesOfBase, filesOfView, nothingThere } from './git/git-files.ts'
import { indexBelow, indexPlaces, indexWithHidden, putIndex, readIndex, takeIndexBack } from './git/hide-from-git.ts'
import { isObjectPath, showObjects } from './git/shown-objects.ts'
import { outsideSparse } from './git/sparse-files.ts'
import { showsFile, withSubmodules } from './git/submodules.ts'
import { indexesOfViews } from './git/view-indexes.ts'
import { matchLarge, newLarge } from './large-files.ts'
import { fitEnvironment, keepIfRoom, nothingAdded, recordOfRepositories, recordOfUnits } from './layers/environment.ts'
import { goneModes, showModes, shownModes } from './layers/folder-modes.ts'
import { type HomeCache, safeCaches, stackCaches, takeCachesIn } from './layers/home-caches.ts'
import { nextNumber, opaqueFolders } from './layers/join-changes.ts'
import { hidePaths, keepOnly } from './layers/layer-folders.ts'
import type { Layer, LayerRecord, LayerStore } from './layers/layer-store.ts'
import { isOfFiles, leftInLayer } from './layers/left-files.ts'
import { type MergedFolders, namesShown, opaqueAmong } from './layers/opaque-among.ts'
import { requireMountable, shortenStack } from './layers/shorten-stack.ts'
import { kindInLayers, namesInLayers } from './layers/shown-in-layers.ts'
import { showTimes, timesAtEnd } from './layers/shown-times.ts'
import { isRepository } from './layers/unit-stamps.ts'
import { createMountBase, type MountBase } from './mount-base.ts'
import {
  emptyFolder,
  ensureFolder,
  type HoldLayer,
  makeParts,
  type OwnerMounts,
  requireWritten,
  showModeOf,
} from './mount-folder.ts'
import {
  type ChangedPaths,
  changedPaths,
  createMountRules,
  type MountRules,
  rulesAt,
  rulesInLayers,
} from './mount-rules.ts'
import { asSetup, enterLayers, runInside, type StackedCache, type StackedCounts } from './namespace.ts'
import { overlayPaths } from './overlay-paths.ts'
import type { OwnedCopies } from './owners/owned-copies.ts'
import { removalOf, type UpperWalk, walkUpper } from './upper-walk.ts'
import { movingFiles, restingFiles, type WrittenFiles } from './written-files.ts'

const kind = 'overlay'
/** Where programs of a mount write, in the folder of its owner. */
export const upperName = 'upper'

/**
 * Mounts with an overlay file system. From the top: what the commands write, the environment, the branch's changes and the
 * project. Nothing stays mounted between commands.
 */
export async function createOverlayMounts(
  folder: string,
  rootFolder: string | null,
  user: CommandUser,
  mostBytes: number,
  store: LayerStore,
  findCaches: () => readonly HomeCache[],
  { owned, locks }: { readonly owned: OwnedCopies; readonly locks: HiddenLocks },
): Promise<OwnerMounts> {
  const names = ['base', 'files', 'work', 'mask-work', 'branch', upperName, 'layers', 'stack', 'tmp'] as const
  const parts = await makeParts(folder, [...names, 'home', 'home-upper', 'home-work', 'home-base'])
  const { upper, files, home, tmp, stack, 'home-upper': homeUpper } = parts
  const branch = createBranchLayer(folder, rootFolder)

  async function settle(shown: Shown, keeps: boolean): Promise<Captured> {
    const { base, layers, overlay, changed, modes: shownModes, enter, caches, hold, at } = shown
    const resting = restingFiles(upper)
    const { walk, opaque, rules } = await scanMount({
      ...{ written: resting, files, base, rootFolder, enter, mostBytes, layers, changed, shownModes },
      // What stays is asked of the mount itself: a look may be wrong about what a program did meanwhile.
      merged: new Map(),
    })
    const removed = removedBelow({ base, rules, layers }, resting, opaque)
    const hidden = [...walk.hidden, ...removed.hidden]
    const left = [...walk.units, ...hidden]
    const joined = await joinChanges(walk, removed.changes, base)
    const around = { rootFolder, overlay: overlayPaths(overlay) }
    const { changes, lost } = splitBesidePerson(joined.changes, { ...around, at, writtenAt: writtenIn(resting) })
    const notKept = [...joined.notKept, ...keepLost(lost, homeUpper, nextNumber(layers, []))]
    const modes = [...goneModes(layers, base, changes), ...walk.modes]
    const times = timesAtEnd({ ...shown, changes, lookAt: lookAtFile })
    takeCachesIn(folder, caches)
    const hasHome = readdirSync(homeUpper).length > 0
    const makeLayer = async () => {
      for (const folder of walk.emptied) removeInMadeSync(join(upper, folder))
      await hidePaths(upper, hidden)
      keepOnly(upper, left)
      showObjects(upper, left.filter(isRepository))
      const written = { files: upper, opaque: [...opaque].filter((folder) => !isObjectPath(folder)) }
      const all = withSubmodules(left, upper, showsFile([...layers, written], base))
      const units = {
        ...recordOfUnits(written, all, around, at),
        ...recordOfRepositories(written, all, { base, rootFolder, layers, at }),
      }
      return keep(
        { ...units, opaque: written.opaque, home: hasHome, kind, times, ...(modes.length > 0 && { modes }), at },
        hold,
      )
    }
    const { added, ...unkept } =
      keeps && (left.length > 0 || hasHome || modes.length > 0) ? await keepIfRoom(makeLayer) : nothingAdded
    const all = [...layers, ...added]
    const [layer] = added
    const own = layer ? await leftInLayer(layer, layers, async () => (await opaqueFolders(store, [layer]))(layer)) : []
    // What a layer holds is listed anyway, and counted with that.
    const ignoredChanges = layer
      ? own.filter(isOfFiles).length
      : (await countFiles(upper, walk.units).catch(() => walk.units.length)) + hidden.length
    const now = keeps ? await shortenStack(store, all, { ...around, at }, user, hold) : all
    return {
      changes,
      ...(notKept.length > 0 && { notKept }),
      ignoredChanges,
      ...unkept,
      environment: now.map(({ id }) => id),
      added: added.map(({ id }) => id),
      ...(own.length > 0 && { left: own }),
    }
  }
  function lookAtFile(path: VirtualPath) {
    const own = lookAsOwner(join(upper, path))
    const found = own ?? lookAsOwner(join(parts.branch, path))
    return found && { mtimeMs: found.mtimeMs, byCommand: own !== undefined }
  }
  function keep(record: LayerRecord, hold: HoldLayer): Promise<Layer> {
    return store.add({ files: upper, home: homeUpper }, record, hold)
  }
  /** What programs wrote so far. Files over the limit are left out. */
  async function lookAt(
    { base, layers, changed, modes: shownModes, overlay, at, merged }: Shown,
    frozen: Shown['enter'],
  ): Promise<Pick<MountLook, 'changes' | 'notKept'> | null> {
    using written = movingFiles(upper)
    if (!written) return null
    const { walk, opaque, rules } = await scanMount({
      ...{ written, files, base, rootFolder, mostBytes, layers, changed, shownModes, merged },
      enter: frozen,
    })
    const removed = removedBelow({ base, rules, layers }, written, opaque)
    const { changes: all, notKept: other } = await joinChanges({ ...walk, large: [] }, removed.changes, base)
    const notKept = [...other, ...newLarge(walk.large, all, base)]
    const beside = { rootFolder, overlay: overlayPaths(overlay), at, writtenAt: writtenIn(written) }
    const { changes } = splitBesidePerson(all, beside)
    return { changes, ...(notKept.length > 0 && { notKept }) }
  }
  /** Each index of git that programs must find in the upper layer. None where those below are right. */
  function markedIndexes(
    layers: readonly Layer[],
    overlay: readonly MountEntry[],
    hiddenFiles: readonly VirtualPath[],
  ) {
    const holderOf = (path: VirtualPath) =>
      layers.findLast((layer) => lookAsOwner(join(layer.files, path)))?.files ?? null
    const below = [...layers.toReversed().map(({ files }) => files), ...(rootFolder === null ? [] : [rootFolder])]
    const base = createMountBase(overlay, rootFolder)
    const view = filesOfView(layers, filesOfBase(base))
    const isThere = (path: VirtualPath) => view.at(path) !== undefined
    const look = (path: VirtualPath) => lookAsOwner(join(holderOf(path) ?? rootFolder ?? '/nowhere', path))
    const read = (path: VirtualPath) => {
      const node = base.at(path)
      return node?.kind === 'file' ? Buffer.from(node.read()) : undefined
    }
    return indexPlaces(hiddenFiles, look, read).flatMap((place) => {
      const holder = holderOf(place.index)
      if (holder === null && hiddenFiles.length === 0) return []
      const person = indexBelow(place, overlay, rootFolder)
      const shown = holder === null ? person : readIndex(holder, place.index, below)
      const index = shown ? indexWithHidden(place, shown, person, hiddenFiles, isThere) : null
      const from = holder ?? rootFolder
      return index ? [{ place, index, replaced: from === null ? undefined : lookAsOwner(join(from, place.index)) }] : []
    })
  }
  async function empty(): Promise<void> {
    for (const one of [upper, homeUpper]) await emptyFolder(one)
  }
  return {
    async open({ overlay, environment = [], hiddenFiles = [], folders = [], takesUp = false }, signal, sealed, hold) {
      const at = store.now()
      await Promise.all([branch.sync(overlay, signal), owned.update(signal), locks.update()])
      const base = createMountBase(overlay, rootFolder)
      const around = { rootFolder, overlay: overlayPaths(overlay), base, at, hiddenFiles }
      const changed = changedPaths(overlay, hiddenFiles, rootFolder)
      const rules = rulesOver({ base, rootFolder, files, layers: layersOf(store, environment), changed })
      const fitting = await fitEnvironment(store, { environment, kind }, rules, around, hold)
      const { evicted, missing } = fitting
      const layers = await requireMountable(store, fitting.layers, around, user, hold)
      showTimes(parts.branch, overlay, layers)
      const openedAt = Date.now()
      if (!takesUp) await empty()
      showModeOf(rootFolder, upper)
      const marked = takesUp ? [] : markedIndexes(layers, overlay, hiddenFiles)
      for (const { place, index, replaced } of marked) putIndex(upper, place, index, rootFolder, replaced)
      for (const one of [tmp, stack]) await emptyFolder(one)
      await ensureFolder(home)
      const stacked = linkStack(stack, layers)
      const caches = await stackCaches(folder, findCaches(), { layers, layersFolder: store.folder })
      const overBase = [locks.folder(), owned.folder()].filter((one) => one !== null)
      const lent = folders.map((one) => one.folder)
      const under = { folder, rootFolder, overBase, layersFolder: store.folder, stacked, sealed, lent }
      const enter = (program: readonly string[]) => enterLayers(under, program, { kind: 'setup' })
      const frozen = (program: readonly string[]) => enterLayers({ ...under, frozen: true }, program, { kind: 'setup' })
      const modes = shownModes(layers, base)
      if (modes.size > 0 && !takesUp) await showModes(modes, enter)
      const state = { base, layers, overlay, changed, modes, openedAt, at, enter, caches, hold, merged: new Map() }
      let open = true
      const end = async (keeps: boolean): Promise<Captured> => {
        open = false
        requireWritten(upper)
        try {
          for (const { place, index } of marked) takeIndexBack(upper, place, index)
          return await settle(state, keeps)
        } finally {
          await empty()
        }
      }
      return {
        ...{ folder: files, home, temporary: tmp, evicted, missing },
        ...{ readOnlyFiles: owned.readOnly(), closedFolders: owned.closed(), problem: rules.problem() },
        user,
        enterable: () => ({ kind: 'layers', layers: { ...under, caches: safeCaches(folder, caches) } }),
        look: () => lookAt(state, frozen),
        capture: (keeps = true) => end(keeps),
        close: async () => void (open && (await empty())),
      }
    },
  }
}

/** Fills an empty folder with the links that a stack is mounted from, the newest layer first. */
function linkStack(folder: string, layers: readonly Layer[]): StackedCounts {
  const count = { files: 0, home: 0 }
  for (const { id, home } of layers.toReversed()) {
    count.files += 1
    symlinkSync(`../layers/${id}/files`, join(folder, `f${count.files}`))
    if (!home) continue
    count.home += 1
    symlinkSync(`../layers/${id}/home`, join(folder, `h${count.home}`))
  }
  return count
}

/** What an open mount shows below the upper layer. */
interface Shown {
  readonly base: MountBase
  readonly layers: readonly Layer[]
  readonly overlay: readonly MountEntry[]
  readonly changed: ChangedPaths
  /** Permissions of folders in place of the usual ones. */
  readonly modes: ReadonlyMap<VirtualPath, number>
  /** Milliseconds since the Unix epoch. */
  readonly openedAt: number
  /** The same by the clock of the disk of the layers. */
  readonly at: number
  readonly enter: (program: readonly string[]) => readonly string[]
  readonly caches: readonly StackedCache[]
  readonly hold: HoldLayer
  readonly merged: MergedFolders
}

type Captured = Omit<MountCapture, 'placeChanges'>

interface ScanResult {
  readonly walk: UpperWalk
  readonly opaque: ReadonlySet<VirtualPath>
  readonly rules: MountRules
}

interface LookInput {
  readonly written: WrittenFiles
  readonly files: string
  readonly base: MountBase
  readonly rootFolder: string | null
  readonly enter: (program: readonly string[]) => readonly string[]
  readonly mostBytes: number
  readonly layers: readonly Layer[]
  readonly changed: ChangedPaths
  readonly shownModes: ReadonlyMap<VirtualPath, number>
  readonly merged: MergedFolders
}

/**
 * Walks the upper layer. A folder that was made again lost its ignore rules, so a second walk leaves those rules out.
 */
async function scanMount(look: LookInput): Promise<ScanResult> {
  const { written, files, base, rootFolder, mostBytes, layers, shownModes } = look
  const wasFolder = (path: VirtualPath) =>
    kindInLayers(layers, path) === 'folder' || base.at(path)?.kind === 'directory'
  const lookWith = async (opaque: ReadonlySet<VirtualPath>) => {
    const rules = rulesOver(look, opaque)
    const input = { written, files, rootFolder, base, rules, mostBytes, wasFolder, layers, shownModes }
    return { rules, walk: await walkUpper(input) }
  }
  const first = await lookWith(new Set())
  const inUnits = first.walk.units.flatMap((unit) => [...hidingFolders(unit, look)])
  const opaque = await opaqueAmong([...first.walk.shared, ...inUnits], look)
  const lostRules = [...opaque].some(
    (folder) => base.at(joinPath(folder, '.gitignore')) ?? rulesInLayers(layers, folder)?.text,
  )
  return { ...(lostRules ? await lookWith(opaque) : first), opaque }
}

/**
 * Folders that may hide something: a folder and those in it, as far as the project, the branch or layers have them too, and have
 * something in them that programs did not write.
 */
function* hidingFolders(folder: VirtualPath, look: LookInput): Generator<VirtualPath> {
  const { written, base, rootFolder, layers } = look
  if (!written.look(folder)?.isDirectory()) return
  const inLayers = kindInLayers(layers, folder)
  if (inLayers !== 'folder' && (inLayers === 'gone' || base.at(folder)?.kind !== 'directory')) return
  const own = written.names(folder).map(String)
  const [names, onDisk] = [new Set(own), rootFolder === null ? [] : namesIn(join(rootFolder, folder))]
  const below = [...onDisk, ...namesInLayers(layers, folder)]
  if (below.length === 0 || below.some((name) => !names.has(name))) yield folder
  for (const name of own) yield* hidingFolders(joinPath(folder, name), look)
}

/** What was written and what is gone, sorted by path. */
async function joinChanges({ taken, large }: UpperWalk, removed: readonly MountChange[], base: MountBase) {
  for (const change of removed) taken.add(change)
  const written = taken.seen()
  const { matched, notKept: tooLarge } = await matchLarge(large, written, base)
  for (const change of matched) taken.add(change)
  for (const one of tooLarge) taken.leaveOut(one)
  const { changes, notKept } = taken.finish(base)
  const sorted = changes.toSorted((a, b) => byCodeUnit(a.path, b.path))
  return { changes: sorted, notKept }
}

function writtenIn({ look }: WrittenFiles): (path: VirtualPath) => number | undefined {
  return (path) => look(path)?.ctimeMs
}

/** The entries of opaque folders that the command removed. */
function removedBelow(
  below: Parameters<typeof removalOf>[1],
  written: WrittenFiles,
  opaque: ReadonlySet<VirtualPath>,
): ReturnType<typeof removalOf> {
  const { base, rules, layers } = below
  const changes: MountChange[] = []
  const hidden: VirtualPath[] = []
  for (const folder of opaque) {
    if (rules.isLeftOut(folder, true)) continue
    for (const name of new Set(namesShown(folder, base, layers))) {
      const path = joinPath(folder, name)
      if (written.look(path)) continue
      const isLeftOut = !base.at(path) || rules.isLeftOut(path, base.at(path)?.kind === 'directory')
      const removed = isLeftOut ? { changes: [], hidden: [path] } : removalOf(path, below)
      changes.push(...removed.changes)
      hidden.push(...removed.hidden)
    }
  }
  return { changes, hidden }
}

/** The ignore rules after the command: from the upper layer, else from the layers below. */
function rulesOver(
  {
    base,
    rootFolder,
    layers,
    changed,
    files,
    written,
  }: Pick<LookInput, 'base' | 'rootFolder' | 'layers' | 'changed' | 'files'> & Partial<LookInput>,
  opaque?: ReadonlySet<VirtualPath>,
): MountRules {
  const readRules = (folder: VirtualPath) => {
    const path = joinPath(folder, '.gitignore')
    if (written?.look(path)) return written.at(path, rulesAt)
    if (opaque?.has(folder)) return undefined
    const kept = rulesInLayers(layers, folder)
    if (kept) return kept.text
    const before = base.at(path)
    return before?.kind === 'file' ? Buffer.from(before.read()).toString() : undefined
  }
  const below = filesOfBase(base)
  const view = filesOfView(layers, below, written)
  const views = [filesOfView(layers, below), ...(written ? [view] : [])]
  const places = rootFolder === null ? [files] : [files, rootFolder]
  const isSparse = outsideSparse(view, filesOfView(layers, nothingThere, written), places)
  return createMountRules(rootFolder, readRules, indexesOfViews(views, below, places), changed, isSparse)
}

function layersOf(store: LayerStore, ids: readonly LayerId[]): readonly Layer[] {
  return ids.flatMap((id) => store.read(id) ?? [])
}

const mostArguments = 500

/** Counts the files of these units, removed ones included. */
async function countFiles(upper: string, units: readonly VirtualPath[]): Promise<number> {
  let count = 0
  for (let at = 0; at < units.length; at += mostArguments) {
    const places = units.slice(at, at + mostArguments).map((unit) => `${upper}${unit}`)
    count += (await runInside(asSetup(['find', ...places, '!', '-type', 'd', '-printf', 'x']))).length
  }
  return count
}
