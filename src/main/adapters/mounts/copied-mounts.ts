import { chmodSync, lstatSync, readFileSync, readlinkSync, realpathSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MountCapture } from '#core/ports/branch-mounts.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../system/as-owner.ts'
import type { CommandUser } from '../system/command-user.ts'
import { removeInMade } from '../system/made-folders.ts'
import { unmountBelow } from '../system/mounts-below.ts'
import { keepLost, splitBesidePerson } from './beside-person.ts'
import { capture } from './capture.ts'
import { copyKept, copyMissing, copyTree } from './copy-files.ts'
import { isOfGitAtWork } from './git/git-at-work.ts'
import { filesOfBase, filesOfCopy, filesOfView, type GitFiles, nothingThere } from './git/git-files.ts'
import { indexBelow, indexPlaces, indexWithHidden, putIndex, readIndex } from './git/hide-from-git.ts'
import { objectFolders } from './git/shown-objects.ts'
import { outsideSparse } from './git/sparse-files.ts'
import { showsFile, withSubmodules } from './git/submodules.ts'
import { indexesOfViews } from './git/view-indexes.ts'
import { type LeftOut, leftOutBy, moveTree, showLayer } from './layers/copied-layers.ts'
import { fitEnvironment, keepIfRoom, nothingAdded, recordOfRepositories, recordOfUnits } from './layers/environment.ts'
import { type FolderMode, goneModes, shownModes } from './layers/folder-modes.ts'
import { nextNumber } from './layers/join-changes.ts'
import type { Layer, LayerStore } from './layers/layer-store.ts'
import { leftInCopy } from './layers/left-files.ts'
import { shortenStack } from './layers/shorten-stack.ts'
import { type ShownTime, showTimes, timesAtEnd } from './layers/shown-times.ts'
import { isRepository, type UnitSurroundings } from './layers/unit-stamps.ts'
import { changedUncarried, lookThrough, type Manifest, takeManifest } from './manifest.ts'
import { createMountBase, type MountBase } from './mount-base.ts'
import {
  emptyFolder,
  ensureFolder,
  type HoldLayer,
  makeParts,
  moveEntry,
  type OwnerMounts,
  requireWritten,
  showModeOf,
} from './mount-folder.ts'
import { type ChangedPaths, changedPaths, createMountRules, rulesAt, rulesIn, rulesInLayers } from './mount-rules.ts'
import { overlayPaths } from './overlay-paths.ts'
import { writeOverlay } from './write-overlay.ts'
import { movingFiles, restingFiles } from './written-files.ts'

const kind = 'copy'

/** What a copy was made of. */
interface Began {
  readonly base: MountBase
  readonly layers: readonly Layer[]
  readonly changed: ChangedPaths
}

/**
 * Mounts as private copies of the project, with copies of what each layer of the environment holds.
 *
 * Where the system has no namespaces, a program may outlive its command and still change what that could. So the app never
 * looks at a copy where programs reach it: it fills and captures the copy in `away`, and only while a command runs the
 * copy stands in `view`. Rights on macOS belong to paths, so a program loses them when the copy moves.
 */
export async function createCopiedMounts(
  folder: string,
  rootFolder: string | null,
  hidden: VirtualPath | null,
  user: CommandUser,
  mostBytes: number,
  store: LayerStore,
): Promise<OwnerMounts> {
  const [away, view] = [join(folder, 'away'), join(folder, 'view')]
  const { kept } = await makeParts(folder, ['kept'])
  const { files, home, tmp } = await makeParts(away, ['files', 'home', 'tmp'])
  const shown = join(view, 'files')
  const resting = restingFiles(files)
  const textInCopy = (path: VirtualPath) => rulesIn(join(files, path))
  /** `copy` is what is in the copy by now. */
  const rulesBy = (
    text: (folder: VirtualPath) => string | undefined,
    { base, layers, changed }: Began,
    copy: GitFiles,
  ) => {
    const below = filesOfBase(base)
    const places = rootFolder === null ? [shown] : [shown, rootFolder]
    const [view, own] = copy === nothingThere ? [filesOfView(layers, below), filesOfView(layers, copy)] : [copy, copy]
    const indexes = indexesOfViews([filesOfView(layers, below), copy], below, places)
    return createMountRules(rootFolder, text, indexes, changed, outsideSparse(view, own, places))
  }

  async function bringBack(layers: readonly Layer[], signal: AbortSignal): Promise<void> {
    for (const layer of layers) await showLayer(layer, files, signal)
    const newest = layers.findLast((layer) => layer.home)
    if (newest) await copyKept([`${newest.homeFiles}/.`], home, signal)
  }
  /** What the person committed while the copy was made: references may lead to it, and git refuses all of them then. */
  async function addObjects(repository: VirtualPath, signal: AbortSignal): Promise<void> {
    if (rootFolder === null) return
    for (const objects of objectFolders(rootFolder, repository))
      if (lookAsOwner(join(files, objects))?.isDirectory())
        await copyMissing(join(rootFolder, objects), join(files, objects), signal)
  }
  async function putAway(
    left: LeftOut,
    hasHome: boolean,
    {
      around,
      layers,
      hold,
      times,
      modes,
    }: {
      readonly around: UnitSurroundings & { readonly base: MountBase; readonly at: number }
      readonly layers: readonly Layer[]
      readonly hold: HoldLayer
      readonly times: readonly ShownTime[]
      readonly modes: readonly FolderMode[]
    },
  ) {
    const { units, removed } = left
    moveTree(files, kept, left)
    const { at } = around
    const layer = { files: kept, opaque: [], hides: removed }
    const all = withSubmodules([...units], kept, showsFile([...layers, layer], around.base))
    const stamped = {
      ...recordOfUnits(layer, all, around, at),
      ...recordOfRepositories(layer, all, { ...around, layers }),
    }
    const record = {
      ...stamped,
      hides: removed,
      opaque: [],
      home: hasHome,
      kind,
      times,
      ...(modes.length > 0 && { modes }),
      at,
    } as const
    return store.add({ files: kept, home }, record, hold)
  }
  async function empty(): Promise<void> {
    // Nothing is at `away` after a kill, or when a program removed its own view.
    await takeBack()
    await ensureFolder(away)
    for (const part of [files, tmp, kept, home]) await emptyFolder(part)
  }
  async function takeBack(): Promise<void> {
    if (!isThere(view)) return
    await removeInMade(away)
    moveEntry(view, away)
  }
  return {
    async open({ overlay, environment = [], hiddenFiles = [], folders = [] }, signal, _sealed, hold) {
      await empty()
      if (rootFolder !== null) await copyTree(rootFolder, files, hidden, signal)
      await writeOverlay(files, overlay, rootFolder, signal)
      const at = store.now()
      const base = createMountBase(overlay, rootFolder)
      const around = { rootFolder, overlay: overlayPaths(overlay), base, at, hiddenFiles }
      const found = environment.flatMap((id) => store.read(id) ?? [])
      const changed = changedPaths(overlay, hiddenFiles, rootFolder)
      // The layers are not in the copy yet.
      const textBefore = (path: VirtualPath) => (rulesInLayers(found, path) ?? { text: textInCopy(path) }).text
      const ruled = rulesBy(textBefore, { base, layers: found, changed }, nothingThere)
      const problem = ruled.problem()
      const { layers, evicted, missing } = await fitEnvironment(store, { environment, kind }, ruled, around, hold)
      await bringBack(layers, signal)
      showModeOf(rootFolder, files)
      const repositories = layers.flatMap(({ units }) => units.map(({ path }) => path).filter(isRepository))
      for (const one of new Set([...repositories, '/.git' as VirtualPath])) await addObjects(one, signal)
      showTimes(files, overlay, layers)
      const modes = shownModes(layers, base)
      for (const [path, mode] of modes) showMode(join(files, path), mode)
      const lookAtFile = (path: VirtualPath) => lookAsOwner(join(files, path))
      const readPointer = (path: VirtualPath) => asOwner(join(files, path), () => readFileSync(join(files, path)))
      for (const place of indexPlaces(hiddenFiles, lookAtFile, readPointer)) {
        const shownIndex = readIndex(files, place.index, [])
        const person = layers.length === 0 ? shownIndex : indexBelow(place, overlay, rootFolder)
        const index =
          shownIndex &&
          indexWithHidden(place, shownIndex, person, hiddenFiles, (path) => lookAtFile(path) !== undefined)
        if (index) putIndex(files, place, index, rootFolder, lookAtFile(place.index))
      }
      const openedAt = Date.now()
      const began = { base, layers, changed }
      const before = await takeManifest(files, createEntryPreparer(files, join(view, 'files'), rootFolder))
      const homeBefore = await takeManifest(home)
      let open = true
      const end = async (keeps: boolean): Promise<Captured> => {
        open = false
        requireWritten(shown)
        try {
          await takeBack()
          // What a program mounted here ends with it, and is no change of the project.
          unmountBelow(files)
          const after = await takeManifest(files)
          const rules = rulesBy(textInCopy, began, filesOfCopy(resting))
          const seen = await capture({
            files,
            shown,
            rootFolder,
            overlay,
            before,
            after,
            rules,
            shownModes: modes,
            mostBytes,
          })
          // A copy never shows what the person saves.
          const { changes, lost } = splitBesidePerson(seen.changes, { ...around, writtenAt: () => undefined })
          const beside = keepLost(lost, home, nextNumber(layers, []))
          const notKept = [...(seen.notKept ?? []), ...beside]
          const { modes: changedModes, ...rest } = seen
          const newModes = [...goneModes(layers, base, changes), ...changedModes]
          const captured = { ...rest, changes, ...(notKept.length > 0 && { notKept }) }
          const lookAt = (path: VirtualPath) => {
            const found = lookAsOwner(join(files, path))
            const byCommand = before.entries.get(path)?.stamp !== after.entries.get(path)?.stamp
            return found && { mtimeMs: found.mtimeMs, byCommand }
          }
          const times = timesAtEnd({ openedAt, overlay, changes: captured.changes, lookAt })
          const left = leftOutBy(before, after, rules, (path) => base.at(path) === undefined)
          const homeAfter = await takeManifest(home)
          const own = leftInCopy(left, after, { before: homeBefore, after: homeAfter })
          const hasHome = keeps && differ(homeBefore, homeAfter)
          const { added, ...unkept } =
            keeps && (left.units.size > 0 || hasHome || newModes.length > 0)
              ? await keepIfRoom(() => putAway(left, hasHome, { around, layers, hold, times, modes: newModes }))
              : nothingAdded
          const all = [...layers, ...added]
          const now = keeps ? await shortenStack(store, all, around, user, hold) : all
          return {
            ...captured,
            ...unkept,
            environment: now.map(({ id }) => id),
            added: added.map(({ id }) => id),
            ...(added.length > 0 && own.length > 0 && { left: own }),
          }
        } finally {
          await empty()
        }
      }
      moveEntry(away, view)
      const look = async () => {
        using moving = movingFiles(shown)
        if (!moving) return null
        const after = await lookThrough(moving, before)
        const readRules = (path: VirtualPath) => moving.at(joinPath(path, '.gitignore'), rulesAt)
        const rules = rulesBy(readRules, began, filesOfCopy(moving))
        const input = { files: shown, moving, rootFolder, overlay, before, after, rules, shownModes: modes, mostBytes }
        const { changes: all, notKept = [] } = await capture(input)
        const { changes } = splitBesidePerson(all, { ...around, writtenAt: () => undefined })
        return { changes, ...(notKept.length > 0 && { notKept }) }
      }
      return {
        ...{
          folder: shown,
          home: join(view, 'home'),
          temporary: join(view, 'tmp'),
          evicted,
          missing,
          problem,
        },
        user,
        enterable: () => ({ kind: 'copy', files: shown, lent: folders.map(({ folder }) => folder) }),
        look,
        capture: (keeps = true) => end(keeps),
        close: async () => void (open && (await empty())),
      }
    },
  }
}

/** The folder is in a copy of the app's own. */
function showMode(place: string, mode: number): void {
  if (lookAsOwner(place)?.isDirectory()) asOwner(dirname(place), () => chmodSync(place, mode))
}

function differ(before: Manifest, after: Manifest): boolean {
  if (before.entries.size !== after.entries.size || before.uncarried.length !== after.uncarried.length) return true
  if (changedUncarried(before, after).length > 0) return true
  return [...after.entries].some(([path, { stamp }]) => before.entries.get(path)?.stamp !== stamp)
}

/** A link counts, also one that leads nowhere. */
function isThere(location: string): boolean {
  return lookAsOwner(location) !== undefined
}

type Captured = Omit<MountCapture, 'placeChanges'>

/**
 * Makes a copied entry safe to work with. It removes FIFOs, sockets and devices, since opening one can hang a command,
 * and what the person's git had there while it was at work.
 *
 * An absolute link into the project would lead writes into the real folder, so it is redirected to the same place in
 * the copy.
 */
function createEntryPreparer(files: string, viewFiles: string, rootFolder: string | null): (location: string) => void {
  const roots = rootFolder === null ? [] : [...new Set([rootFolder, realpathSync.native(rootFolder)])]
  return (location) => {
    const stats = lstatSync(location, { throwIfNoEntry: false })
    if (stats?.isFile() && isOfGitAtWork(location.slice(files.length))) return unlinkSync(location)
    if (!stats || stats.isFile() || stats.isDirectory()) return
    if (!stats.isSymbolicLink()) return unlinkSync(location)
    const target = readlinkSync(location)
    const root = roots.find((one) => target === one || target.startsWith(`${one}/`))
    if (root === undefined) return
    unlinkSync(location)
    symlinkSync(join(viewFiles, target.slice(root.length)), location)
  }
}
