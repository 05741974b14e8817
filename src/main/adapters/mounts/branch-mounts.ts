import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { maxReadBytes } from '#core/ports/base-tree.ts'
import type { BranchMount, BranchMounts, MountRequest, MountStrategy } from '#core/ports/branch-mounts.ts'
import { createKeyedMutex } from '#shared/base/limiter.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CommandUser, findCommandUser } from '../system/command-user.ts'
import { claimOrMake, emptyMade, makeTemporary, releaseMade, removeInMade, removeMade } from '../system/made-folders.ts'
import { createCopiedMounts } from './copied-mounts.ts'
import { createMountBase } from './mount-base.ts'
import type { OwnerMounts } from './mount-folder.ts'
import { refuseOutsideLinks } from './outside-links.ts'
import { createOverlayMounts } from './overlay-mounts.ts'
import { createPlaceFolders, type OpenPlaces, type PlaceFolders } from './place-folders.ts'
import { probeMeans } from './probe.ts'

export interface BranchMountsOptions {
  /** Null for a scratch workspace. Its mounts begin empty. */
  readonly rootFolder: string | null
  /** This project's own folder inside the data folder. Its content is removed at the start. */
  readonly mountsFolder: string
  /** A folder inside the project that is not part of it. Mounts do not show it. */
  readonly hidden?: VirtualPath | null
  /** Throws when the root folder was moved away or replaced. Called before and after a mount opens. */
  readonly requireSame?: () => void
  /** Finds the strategy that works on this system. Called once. */
  readonly probe?: (mountsFolder: string, rootFolder: string | null) => Promise<MountStrategy>
  /** Finds whom the system takes confined commands for. */
  readonly findUser?: () => Promise<CommandUser>
  /** The most bytes of one changed file. A larger one can be moved and deleted. */
  readonly mostBytes?: number
}

const nothingBeside: OpenPlaces = { places: [], leftOut: [], capture: async () => [], close: async () => undefined }

export function createBranchMounts(options: BranchMountsOptions): BranchMounts {
  const { rootFolder, hidden = null, requireSame = () => {}, probe = probeMeans, findUser = findCommandUser } = options
  const { mostBytes = maxReadBytes } = options
  const turns = createKeyedMutex()
  const owners = new Map<string, Promise<OwnerMounts>>()
  let probed: Promise<MountStrategy> | undefined
  let prepared: Promise<MountsPlace> | undefined
  if (existsSync(options.mountsFolder)) void place().catch(() => undefined)

  /** Removes what a crash left. The project's lock guarantees that nobody else uses it. */
  function place(): Promise<MountsPlace> {
    prepared ??= preparePlace(rootFolder, options.mountsFolder)
    return prepared
  }
  async function findStrategy(): Promise<MountStrategy> {
    const { folder, problem } = await place()
    probed ??= probe(folder, rootFolder).then(({ kind, reason }) => ({
      kind,
      reason: problem === null ? reason : `${reason} ${problem} Views are in ${folder}.`,
    }))
    return probed
  }

  async function viewsOf(owner: string): Promise<OwnerMounts> {
    const { kind } = await findStrategy()
    const folder = (await place()).folderOf(owner)
    const user = await findUser()
    const mounts =
      owners.get(owner) ??
      (kind === 'overlay'
        ? createOverlayMounts(folder, rootFolder, user, mostBytes)
        : createCopiedMounts(folder, rootFolder, hidden, user, mostBytes))
    owners.set(owner, mounts)
    return mounts
  }
  async function open({ owner, overlay, places }: MountRequest, signal: AbortSignal): Promise<BranchMount> {
    await using cleanup = new AsyncDisposableStack()
    cleanup.use(await turns.enter(owner, signal))
    requireSame()
    const mounts = await viewsOf(owner)
    const beside = places ? await (await place()).placeFolders.open(places, signal) : nothingBeside
    cleanup.defer(beside.close)
    const hiding = hidden === null ? [] : [{ kind: 'absent', path: hidden } as const]
    const sealed = places?.sealed ? beside.places.filter(({ writable }) => !writable).map(({ folder }) => folder) : []
    const opened = await mounts.open([...overlay, ...hiding], signal, sealed)
    cleanup.defer(opened.close)
    requireSame()
    const closing = cleanup.move()
    return {
      ...opened,
      places: beside.places,
      leftOut: beside.leftOut,
      async capture() {
        const { changes, ignoredChanges } = await opened.capture()
        const { kept, refused } = refuseOutsideLinks(changes, createMountBase(overlay, rootFolder), rootFolder)
        const placeChanges = await beside.capture()
        return { changes: kept, ignoredChanges, placeChanges, ...(refused.length > 0 && { refusedLinks: refused }) }
      },
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    }
  }
  return {
    open,
    async remove(owner) {
      using _turn = await turns.enter(owner, new AbortController().signal)
      owners.delete(owner)
      if (prepared === undefined) return
      const { folderOf, placeFolders } = await place()
      await removeInMade(folderOf(owner))
      await placeFolders.remove(owner)
    },
    findStrategy: findStrategy,
    storedBytes: async () => (prepared === undefined ? 0 : keptBytes((await place()).folder)),
    async [Symbol.asyncDispose]() {
      if (prepared === undefined) return
      const { folder } = await place()
      prepared = undefined
      const isWanted = folder === options.mountsFolder
      // What cannot be removed now is swept by the next start.
      await (isWanted ? emptyMade(folder) : removeMade(folder)).catch(() => undefined)
      if (isWanted) releaseMade(folder)
    },
  }
}

interface MountsPlace {
  readonly folder: string
  /** Why it is not the folder that was asked for. Null when it is. */
  readonly problem: string | null
  readonly folderOf: (owner: string) => string
  readonly placeFolders: PlaceFolders
}

/** A folder cannot be copied into itself, so a mounts folder inside the project is replaced by a temporary one. */
async function preparePlace(rootFolder: string | null, wanted: string): Promise<MountsPlace> {
  const { folder, problem } = isInside(rootFolder, wanted)
    ? { folder: makeTemporary('views'), problem: null }
    : claimOrMake(wanted, 'views')
  await emptyMade(folder)
  const folderOf = (owner: string) => join(folder, createHash('sha256').update(owner).digest('hex').slice(0, 16))
  return { folder, problem, folderOf, placeFolders: createPlaceFolders((owner) => folderOf(`places of ${owner}`)) }
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

/** Bytes that a folder and its content take on disk. Files that vanish meanwhile count as nothing. */
async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    const location = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await folderBytes(location)
    else bytes += await lstat(location).then(takenBy, () => 0)
  }
  return bytes
}

/** Falls back to the length on systems that do not count blocks. */
function takenBy({ blocks, size }: { readonly blocks?: number; readonly size: number }): number {
  return blocks === undefined ? size : blocks * 512
}
