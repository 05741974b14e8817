import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { lstat, mkdir, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import type { BranchMount, BranchMounts, MountRequest, MountStrategy } from '#core/ports/branch-mounts.ts'
import { createKeyedMutex } from '#shared/base/limiter.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CommandUser, findCommandUser } from '../system/command-user.ts'
import { createCopiedMounts } from './copied-mounts.ts'
import { type OwnerMounts, removeAllIn, removeTree } from './mount-folder.ts'
import { createOverlayMounts } from './overlay-mounts.ts'
import { createPlaceFolders, type OpenPlaces } from './place-folders.ts'
import { probeMeans } from './probe.ts'

export interface BranchMountsOptions {
  /** Null for a scratch workspace. Its mounts begin empty. */
  readonly rootFolder: string | null
  /** This project's own folder inside the data folder. Its content is removed at the start. */
  readonly mountsFolder: string
  /** A folder inside the project that is not part of it. Mounts do not show it. */
  readonly hidden?: VirtualPath | null
  /** Finds the strategy that works on this system. Called once. */
  readonly probe?: (mountsFolder: string, rootFolder: string | null) => Promise<MountStrategy>
  /** Finds whom the system takes confined commands for. */
  readonly findUser?: () => Promise<CommandUser>
}

const nothingBeside: OpenPlaces = { places: [], leftOut: [], capture: async () => [], close: async () => undefined }

export function createBranchMounts(options: BranchMountsOptions): BranchMounts {
  const { rootFolder, hidden = null, probe = probeMeans, findUser = findCommandUser } = options
  const mountsFolder = outsideOf(rootFolder, options.mountsFolder)
  const turns = createKeyedMutex()
  const owners = new Map<string, Promise<OwnerMounts>>()
  let probed: Promise<MountStrategy> | undefined
  const swept = removeAllIn(mountsFolder)

  async function findStrategy(): Promise<MountStrategy> {
    await swept
    await mkdir(mountsFolder, { recursive: true, mode: 0o700 })
    probed ??= probe(mountsFolder, rootFolder)
    return probed
  }
  const folderOf = (owner: string) => join(mountsFolder, createHash('sha256').update(owner).digest('hex').slice(0, 16))
  const placeFolders = createPlaceFolders((owner) => folderOf(`places of ${owner}`))

  async function viewsOf(owner: string): Promise<OwnerMounts> {
    const { kind } = await findStrategy()
    const folder = folderOf(owner)
    const user = await findUser()
    const mounts =
      owners.get(owner) ??
      (kind === 'overlay'
        ? createOverlayMounts(folder, rootFolder, user)
        : createCopiedMounts(folder, rootFolder, hidden, user))
    owners.set(owner, mounts)
    return mounts
  }
  async function open({ owner, overlay, places }: MountRequest, signal: AbortSignal): Promise<BranchMount> {
    await using cleanup = new AsyncDisposableStack()
    cleanup.use(await turns.enter(owner, signal))
    const mounts = await viewsOf(owner)
    const beside = places ? await placeFolders.open(places, signal) : nothingBeside
    cleanup.defer(beside.close)
    const hiding = hidden === null ? [] : [{ kind: 'absent', path: hidden } as const]
    const sealed = places?.sealed ? beside.places.filter(({ writable }) => !writable).map(({ folder }) => folder) : []
    const opened = await mounts.open([...overlay, ...hiding], signal, sealed)
    cleanup.defer(opened.close)
    const closing = cleanup.move()
    return {
      ...opened,
      places: beside.places,
      leftOut: beside.leftOut,
      async capture() {
        const captured = await opened.capture()
        return { ...captured, placeChanges: await beside.capture() }
      },
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    }
  }
  return {
    open,
    async remove(owner) {
      using _turn = await turns.enter(owner, new AbortController().signal)
      owners.delete(owner)
      await removeTree(folderOf(owner))
      await placeFolders.remove(owner)
    },
    findStrategy: findStrategy,
    storedBytes: () => folderBytes(mountsFolder),
    [Symbol.asyncDispose]: () => removeAllIn(mountsFolder),
  }
}

/**
 * The mounts folder, or one in the temporary folder when that lies inside the project: a folder cannot be copied into
 * itself.
 */
function outsideOf(rootFolder: string | null, mountsFolder: string): string {
  if (rootFolder === null) return mountsFolder
  const path = relative(realpathSync.native(rootFolder), mountsFolder)
  const isInside = !path.startsWith('..') && path !== mountsFolder
  return isInside ? join(tmpdir(), `coppice-${basename(dirname(mountsFolder))}-views`) : mountsFolder
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
