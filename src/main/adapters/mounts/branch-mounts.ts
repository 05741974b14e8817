import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { maxReadBytes } from '#core/ports/base-tree.ts'
import {
  type BranchMount,
  BranchMountError,
  type BranchMounts,
  type Evicted,
  type LayerUsage,
  type MountChange,
  type MountEntry,
  type MountLook,
  type MountRequest,
  type MountStrategy,
} from '#core/ports/branch-mounts.ts'
import { createKeyedMutex } from '#shared/base/limiter.ts'
import type { MadeCommit } from '#shared/model/calls/outcome.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CommandUser, findCommandUser } from '../system/command-user.ts'
import { lookAt } from '../system/look-at.ts'
import {
  claimFolder,
  claimOrMake,
  emptyMade,
  makeTemporary,
  releaseMade,
  removeInMade,
  removeMade,
  renewFolder,
} from '../system/made-folders.ts'
import { createCopiedMounts } from './copied-mounts.ts'
import { findCommitted } from './git/committed-files.ts'
import { createHiddenLocks, type HiddenLocks } from './git/git-at-work.ts'
import { type LinkedRepository, readLinkedRepository } from './git/linked-repository.ts'
import { findMadeRepositories } from './git/made-repositories.ts'
import { findObjectFolders, findOwnCommits } from './git/own-commits.ts'
import { isShowable } from './layers/environment.ts'
import type { HomeCache } from './layers/home-caches.ts'
import { planDrops } from './layers/layer-budget.ts'
import { folderBytes } from './layers/layer-sizes.ts'
import { createLayerStore, type Layer, type LayerStore } from './layers/layer-store.ts'
import { stackLayer } from './layers/stack-layers.ts'
import { createMountBase } from './mount-base.ts'
import { emptyFolder, type OpenMount, type OwnerMounts } from './mount-folder.ts'
import { enterAll } from './namespace.ts'
import { refuseOutsideLinks } from './outside-links.ts'
import { createOverlayMounts, upperName } from './overlay-mounts.ts'
import { createOwnedCopies, type OwnedCopies } from './owners/owned-copies.ts'
import { createPlaceFolders, type OpenPlaces, type PlaceFolders } from './places/place-folders.ts'
import { probeMeans } from './probe.ts'

export interface BranchMountsOptions {
  /** Null for a scratch workspace. Its mounts begin empty. */
  readonly rootFolder: string | null
  /** This project's own folder inside the data folder. Its content is removed at the start, except that of `abandoned`. */
  readonly mountsFolder: string
  /** The project's folder for what commands leave. Its content stays. Absent for `environments` beside the mounts. */
  readonly layersFolder?: string
  /** A folder inside the project that is not part of it. Mounts do not show it. */
  readonly hidden?: VirtualPath | null
  /** Throws when the root folder was moved away or replaced. Called before and after a mount opens. */
  readonly requireSame?: () => void
  /** Owners whose last mounts a killed app left, and that will be taken up. Absent for none. */
  readonly abandoned?: readonly string[]
  /** Finds the strategy that works on this system. Called once. */
  readonly probe?: (mountsFolder: string, rootFolder: string | null) => Promise<MountStrategy>
  /** Finds whom the system takes confined commands for. */
  readonly findUser?: () => Promise<CommandUser>
  /** The most bytes that layers may take together. Asked for whenever a layer was added. Absent for no limit. */
  readonly layerBudget?: () => number
  /** What the project's setup left: it goes last when the budget needs room, and stays on its own in every list. Absent for none. */
  readonly droppedLast?: () => ReadonlySet<LayerId>
  /** How many layers a list may have before the newest of them become one. */
  readonly mostInStack?: number
  /** Folders of the person that commands find in their home, as they are now. Only overlay mounts have them. */
  readonly findCaches?: () => readonly HomeCache[]
  /** Whether the person trusts what files of the project name outside of it, such as a repository. Absent for no. */
  readonly isTrusted?: () => boolean
  /** The most bytes of one changed file. A larger one can be moved and deleted. */
  readonly mostBytes?: number
}

const nothingBeside: OpenPlaces = { places: [], leftOut: [], capture: async () => [], close: async () => undefined }

/** A mount of one folder, which can be entered together with others. */
export type EnterableMount = BranchMount & Pick<OpenMount, 'enterable' | 'user'>

/** The mounts of one folder. */
export interface FolderMounts extends BranchMounts {
  open(request: MountRequest, signal: AbortSignal): Promise<EnterableMount>
}

export function createBranchMounts(options: BranchMountsOptions): FolderMounts {
  const { rootFolder, hidden = null, requireSame = () => {}, probe = probeMeans, findUser = findCommandUser } = options
  const { mostBytes = maxReadBytes, mountsFolder } = options
  const { layersFolder = join(dirname(mountsFolder), 'environments') } = options
  const linkedNow = () =>
    rootFolder === null ? null : readLinkedRepository(rootFolder, options.isTrusted?.() ?? false)
  const turns = createKeyedMutex()
  const owners = new Map<string, Promise<OwnerMounts>>()
  /** How many open mounts have each shared folder for throw-away files. */
  const temporaries = new Map<string, number>()
  /** How many open mounts show each layer. */
  const shown = new Map<LayerId, number>()
  /** Layers that this process made and that nobody named as used yet: their command may not be stored. */
  const fresh = new Set<LayerId>()
  /** What keeps the budget now. */
  let budgeting: Promise<void> = Promise.resolve()
  let probed: Promise<MountStrategy> | undefined
  let prepared: Promise<MountsPlace> | undefined
  if (existsSync(mountsFolder)) void place().catch(() => undefined)

  /** False for a project in which no command has run yet. */
  const isInUse = () => prepared !== undefined || existsSync(layersFolder)
  /** Removes what a crash left. The project's lock guarantees that nobody else uses it. */
  async function place(): Promise<MountsPlace> {
    prepared ??= preparePlace(rootFolder, { mountsFolder, layersFolder }, options)
    const ready = await prepared
    renewFolder(ready.folder)
    return ready
  }
  async function findStrategy(): Promise<MountStrategy> {
    const { folder, problem, owned } = await place()
    // Both take a moment, and the first command waits for both.
    if (!probed && process.platform === 'linux') owned.update(new AbortController().signal).catch(() => undefined)
    probed ??= probe(folder, rootFolder).then(({ kind, reason }) => ({
      kind,
      reason: problem === null ? reason : `${reason} ${problem} Views are in ${folder}.`,
    }))
    return probed
  }

  async function viewsOf(owner: string): Promise<OwnerMounts> {
    const { kind } = await findStrategy()
    const { folderOf, layers, owned, locks } = await place()
    const folder = folderOf(owner)
    const user = await findUser()
    // Somebody may have removed it with all that was in it.
    if (!existsSync(folder)) owners.delete(owner)
    const mounts =
      owners.get(owner) ??
      (kind === 'overlay'
        ? createOverlayMounts(folder, rootFolder, user, mostBytes, layers, options.findCaches ?? (() => []), {
            owned,
            locks,
          })
        : createCopiedMounts(folder, rootFolder, hidden, user, mostBytes, layers))
    owners.set(owner, mounts)
    return mounts
  }
  /** All of these layers when commands wrote to git in one of them, else none. */
  async function layersWithGit(ids: readonly LayerId[]): Promise<readonly Layer[]> {
    if (ids.length === 0 || !isInUse()) return []
    const { layers } = await place()
    const found = ids.flatMap((id) => layers.read(id) ?? [])
    return found.some(({ units }) => units.some(({ path }) => isOfGit(path))) ? found : []
  }
  /** Leaves only what programs wrote. Throws `BranchMountError` when that cannot be told from what was there before. */
  async function clearAround(owner: string): Promise<void> {
    const folder = (await place()).folderOf(owner)
    const { kind } = await findStrategy()
    if (kind !== 'overlay' || !existsSync(join(folder, upperName)))
      throw new BranchMountError('failed', 'What it had written is not there any more.')
    for (const name of await readdir(folder)) if (name !== upperName) await removeInMade(join(folder, name))
  }
  function count(layers: readonly LayerId[], by: 1 | -1): void {
    for (const id of layers) {
      const mounts = (shown.get(id) ?? 0) + by
      if (mounts === 0) shown.delete(id)
      else shown.set(id, mounts)
    }
  }
  async function unusedLayers(used: ReadonlySet<LayerId>): Promise<readonly LayerId[]> {
    const { layers } = await place()
    // What became one is looked at when a process that did not see all of it ends.
    const needed = new Set([...used].flatMap((id) => [id, ...(layers.read(id)?.of ?? [])]))
    for (const id of needed) fresh.delete(id)
    return (await layers.list()).filter((id) => !needed.has(id) && !shown.has(id) && !fresh.has(id))
  }
  /** Removes layers that no entry names. */
  async function removeLayers(unnamed: readonly LayerId[]): Promise<void> {
    const unused = unnamed.filter((id) => !shown.has(id) && !fresh.has(id))
    if (unused.length === 0 || prepared === undefined) return
    const { layers } = await prepared
    for (const id of unused) await layers.remove(id)
  }
  async function dropLayers(dropped: ReadonlySet<LayerId>): Promise<void> {
    const { layers } = await place()
    for (const id of dropped) {
      if (shown.has(id)) continue
      for (const part of layers.read(id)?.of ?? []) fresh.delete(part)
      await layers.drop(id)
    }
  }
  /** Drops layers in the background, but none of `needed`. What cannot be removed now is tried again after the next command. */
  function keepBudget(needed: readonly LayerId[]): void {
    const most = options.layerBudget?.()
    if (most === undefined) return
    budgeting = budgeting
      .then(async () => {
        const { layers } = await place()
        if ((await layers.bytesAtMost()) <= most) return
        const usage = await layers.usage()
        const last = options.droppedLast?.() ?? new Set()
        const dropped = planDrops(usage, most, new Set([...needed, ...shown.keys()]), last)
        if (dropped.size > 0) await dropLayers(dropped)
      })
      .catch(() => undefined)
  }
  /** Disposing it removes the folder if no other mount has it. */
  async function shareTemporary(name: string, signal: AbortSignal): Promise<AsyncDisposable & { folder: string }> {
    const key = `temporary files of ${name}`
    const folder = (await place()).folderOf(key)
    using _turn = await turns.enter(key, signal)
    const others = temporaries.get(key) ?? 0
    if (others === 0) await emptyFolder(folder)
    temporaries.set(key, others + 1)
    return {
      folder,
      async [Symbol.asyncDispose]() {
        using _turn = await turns.enter(key, new AbortController().signal)
        const left = (temporaries.get(key) ?? 1) - 1
        temporaries.set(key, left)
        if (left > 0) return
        temporaries.delete(key)
        // What cannot be removed now goes with the next start.
        await removeInMade(folder).catch(() => undefined)
      },
    }
  }
  async function open(
    {
      owner,
      overlay,
      environment = [],
      hiddenFiles = [],
      folders = [],
      places,
      temporaryOf,
      takesUp = false,
    }: MountRequest,
    signal: AbortSignal,
  ): Promise<EnterableMount> {
    await using cleanup = new AsyncDisposableStack()
    cleanup.use(await turns.enter(owner, signal))
    requireSame()
    if (takesUp) await clearAround(owner)
    const mounts = await viewsOf(owner)
    const beside = places ? await (await place()).placeFolders.open(places, signal) : nothingBeside
    cleanup.defer(beside.close)
    const hiding = hidden === null ? [] : [{ kind: 'absent', path: hidden } as const]
    const sealed = places?.sealed ? beside.places.filter(({ writable }) => !writable).map(({ folder }) => folder) : []
    count(environment, 1)
    cleanup.defer(() => count(environment, -1))
    const made: LayerId[] = []
    /** The layers of the capture. */
    let captured: readonly LayerId[] = []
    const hold = (id: LayerId) => {
      made.push(id)
      count([id], 1)
    }
    cleanup.defer(async () => {
      count(made, -1)
      // What cannot be removed now goes with the next clean-up.
      await removeLayers(made.filter((id) => !captured.includes(id))).catch(() => undefined)
    })
    const linked = hidesGit(overlay) ? null : linkedNow()
    const all = [...overlay, ...(linked?.entries ?? []), ...hiding]
    const shared = temporaryOf === undefined ? undefined : await shareTemporary(temporaryOf, signal)
    if (shared) cleanup.use(shared)
    const opened = await mounts.open({ overlay: all, environment, hiddenFiles, folders, takesUp }, signal, sealed, hold)
    cleanup.defer(opened.close)
    requireSame()
    const closing = cleanup.move()
    const withoutOutsideLinks = (changes: readonly MountChange[]): MountLook => {
      const { kept, refused } = refuseOutsideLinks(changes, createMountBase(overlay, rootFolder), rootFolder)
      return { changes: kept, ...(refused.length > 0 && { refusedLinks: refused }) }
    }
    const enter = (program: readonly string[], confined = false) =>
      enterAll([opened.enterable()], program, confined ? opened.user : { kind: 'person' })
    return {
      ...opened,
      enter,
      ...(shared && { temporary: shared.folder }),
      places: beside.places,
      leftOut: beside.leftOut,
      folders,
      ...(linked && { readable: linked.objects, problem: linked.problem ?? opened.problem ?? null }),
      async look() {
        const seen = await opened.look()
        return seen && { ...seen, ...withoutOutsideLinks(seen.changes) }
      },
      async capture(keeps = true) {
        const { changes, ...rest } = await opened.capture(keeps)
        captured = [...rest.environment, ...(rest.added ?? [])]
        const added = captured.filter((id) => !environment.includes(id))
        for (const id of added) fresh.add(id)
        if (added.length > 0) keepBudget(captured)
        const placeChanges = await beside.capture()
        return { ...rest, ...withoutOutsideLinks(changes), placeChanges }
      },
      dropCaptured() {
        for (const id of made) fresh.delete(id)
        captured = []
      },
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    }
  }
  return {
    open,
    findCommitted: async (files) =>
      rootFolder === null || !hasRepository(rootFolder, linkedNow()) ? new Set() : findCommitted(rootFolder, files),
    async joinLayers({ start, own, onto }) {
      const [{ layers }, strategy] = [await place(), await findStrategy()]
      const kind = strategy.kind === 'overlay' ? 'overlay' : 'copy'
      const read = (ids: readonly LayerId[]) =>
        ids.flatMap((id) => {
          const layer = layers.read(id)
          return isShowable(layer, kind) ? [layer] : []
        })
      const began = read(start)
      let now: readonly Layer[] = read(onto)
      const evicted: Evicted[] = []
      for (const layer of read(own)) {
        const joined = await stackLayer(
          layers,
          layer,
          { start: began, onto: now },
          { rootFolder, linked: linkedNow() },
          (id) => fresh.add(id),
        )
        now = joined.layers
        evicted.push(...joined.evicted)
      }
      // A layer that cannot be read now is named by the entry still, which the next mount says.
      return { layers: [...onto, ...now.slice(read(onto).length).map(({ id }) => id)], evicted }
    },
    async findCommits(ids, known = []) {
      const isNew = (id: LayerId) => !known.includes(id)
      if ((await layersWithGit(ids.filter(isNew))).length === 0) return []
      const found = await layersWithGit(ids)
      const linked = linkedNow()
      const base = createMountBase(linked?.entries ?? [], rootFolder)
      const commitsIn = (layers: readonly Layer[]) => findOwnCommits(layers, base, rootFolder, linked?.objects ?? [])
      const commits = await commitsIn(found)
      const before = commits.length === 0 ? [] : await commitsIn(await layersWithGit(known))
      const names = new Set(before.map(nameOfCommit))
      return commits.filter((commit) => !names.has(nameOfCommit(commit)))
    },
    async findObjects(ids, repository) {
      const linked = linkedNow()
      const base = createMountBase(linked?.entries ?? [], rootFolder)
      return findObjectFolders(repository, await layersWithGit(ids), base, rootFolder, linked?.objects ?? [])
    },
    findRepositories: async (ids) =>
      findMadeRepositories(await layersWithGit(ids), createMountBase([], rootFolder), rootFolder),
    async remove(owner) {
      using _turn = await turns.enter(owner, new AbortController().signal)
      owners.delete(owner)
      if (prepared === undefined) return
      const { folderOf, placeFolders } = await place()
      await removeInMade(folderOf(owner))
      await placeFolders.remove(owner)
    },
    findStrategy: findStrategy,
    async countShowable(wanted) {
      if (wanted.length === 0 || !isInUse()) return 0
      const [{ layers }, strategy] = [await place(), await findStrategy()]
      const kind = strategy.kind === 'overlay' ? 'overlay' : 'copy'
      const missing = wanted.findIndex((id) => !isShowable(layers.read(id), kind))
      return missing < 0 ? wanted.length : missing
    },
    async layerUsage() {
      if (!isInUse()) return []
      await budgeting
      return (await place()).layers.usage()
    },
    async dropLayers(dropped) {
      if (isInUse()) await dropLayers(dropped)
    },
    async keepLayers(used) {
      if (!isInUse()) return
      await budgeting
      const { layers } = await place()
      for (const id of await unusedLayers(used)) if (!shown.has(id)) await layers.remove(id)
      await layers.forget(used)
    },
    async storedBytes(used) {
      if (!isInUse()) return { bytes: 0, unused: 0 }
      const { folder, layers } = await place()
      const ids = await unusedLayers(used)
      const [views, usage] = await Promise.all([keptBytes(folder), layers.usage()])
      const bytesIn = (some: readonly LayerUsage[]) => some.reduce((sum, { bytes }) => sum + bytes, 0)
      return { bytes: views + bytesIn(usage), unused: bytesIn(usage.filter(({ id }) => ids.includes(id))) }
    },
    async [Symbol.asyncDispose]() {
      if (prepared === undefined) return
      const { folder, layers, owned } = await place()
      await Promise.all([budgeting, owned[Symbol.asyncDispose]()])
      prepared = undefined
      if (layers.folder !== layersFolder) await removeMade(layers.folder).catch(() => undefined)
      const isWanted = folder === mountsFolder
      // What cannot be removed now is swept by the next start.
      await (isWanted ? emptyMade(folder) : removeMade(folder)).catch(() => undefined)
      if (isWanted) releaseMade(folder)
    },
  }
}

function nameOfCommit({ repository, id }: MadeCommit): string {
  return `${repository} ${id}`
}

function isOfGit(path: VirtualPath): boolean {
  return /\/\.git(\/|$)/i.test(path)
}

/** True for a repository that mounts show. */
function hasRepository(rootFolder: string, linked: LinkedRepository | null): boolean {
  return lookAt(join(rootFolder, '.git'))?.isDirectory() === true || (linked?.entries.length ?? 0) > 0
}

/** A mount for code has no repository. */
function hidesGit(overlay: readonly MountEntry[]): boolean {
  return overlay.some(({ path }) => path === '/.git')
}

interface MountsPlace {
  readonly folder: string
  /** Why it is not the folder that was asked for. Null when it is. */
  readonly problem: string | null
  readonly layers: LayerStore
  readonly owned: OwnedCopies
  readonly locks: HiddenLocks
  readonly folderOf: (owner: string) => string
  readonly placeFolders: PlaceFolders
}

/**
 * A folder cannot be copied into itself, so a mounts folder inside the project is replaced by a temporary one. Layers are
 * renamed out of mounts, so they follow the mounts to where those are.
 */
async function preparePlace(
  rootFolder: string | null,
  { mountsFolder: wanted, layersFolder }: Required<Pick<BranchMountsOptions, 'mountsFolder' | 'layersFolder'>>,
  { mostInStack, droppedLast, abandoned = [] }: Pick<BranchMountsOptions, 'mostInStack' | 'droppedLast' | 'abandoned'>,
): Promise<MountsPlace> {
  const { folder, problem } = isInside(rootFolder, wanted)
    ? { folder: makeTemporary('views'), problem: null }
    : claimOrMake(wanted, 'views')
  await emptyMade(folder, abandoned.map(nameOf))
  const layers = createLayerStore(folder === wanted ? claimed(layersFolder) : makeTemporary('environments'), {
    ...(mostInStack !== undefined && { most: mostInStack }),
    ...(droppedLast && { ofSetup: droppedLast }),
  })
  const folderOf = (owner: string) => join(folder, nameOf(owner))
  const placeFolders = createPlaceFolders((owner) => folderOf(`places of ${owner}`))
  const owned = createOwnedCopies(join(folder, 'owned'), rootFolder)
  const locks = createHiddenLocks(join(folder, 'git-locks'), rootFolder)
  return { folder, problem, layers, owned, locks, folderOf, placeFolders }
}

function nameOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 16)
}

function claimed(folder: string): string {
  claimFolder(folder)
  return folder
}

function isInside(rootFolder: string | null, folder: string): boolean {
  if (rootFolder === null) return false
  const path = relative(realpathSync.native(rootFolder), folder)
  return !path.startsWith('..') && path !== folder
}

/** Every owner has a folder of its own. The mark beside them counts as nothing. */

async function keptBytes(folder: string): Promise<number> {
  const owners = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  const each = await Promise.all(owners.map(({ name }) => folderBytes(join(folder, name))))
  return each.reduce((sum, bytes) => sum + bytes, 0)
}
