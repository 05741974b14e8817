import { existsSync, lstatSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  BranchMountError,
  type MountPlace,
  type PlaceChange,
  type PlaceFile,
  type PlaceRequest,
  type PlacesRequest,
} from '#core/ports/branch-mounts.ts'
import { createKeyedMutex } from '#shared/base/limiter.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../../pace.ts'
import { removeInMade } from '../../system/made-folders.ts'
import { ensureFolder } from '../mount-folder.ts'
import { makeFolders, removeInside } from '../write-overlay.ts'
import { collectPlaceChanges, type FileStamp, type KnownFile, stampOf } from './place-changes.ts'

/** The app's own places as real folders. An owner's folders stay between mounts, and only what changed is written. */
export interface PlaceFolders {
  /** Waits while the same places are open. Throws `BranchMountError`, and the abort reason. */
  open(request: PlacesRequest, signal: AbortSignal): Promise<OpenPlaces>
  /** Removes the folders of an owner, once they are closed. */
  remove(owner: string): Promise<void>
}

export interface OpenPlaces {
  readonly places: readonly MountPlace[]
  readonly leftOut: readonly VirtualPath[]
  /** Call once, after every program has ended. The folders then hold again what they held before. */
  capture(): Promise<readonly PlaceChange[]>
  /** Drops what programs changed, unless it was captured. */
  close(): Promise<void>
}

/** Most bytes and files in the places of one owner. Further files are left out. */
const mostBytes = 256 * 1024 * 1024
const mostFiles = 20_000
/** Owners whose folders stay. Those used longest ago are removed, because they can be made again. */
const mostOwners = 8

interface OwnerFolder {
  readonly folder: string
  readonly known: Map<VirtualPath, KnownFile>
}

export function createPlaceFolders(folderOf: (owner: string) => string): PlaceFolders {
  const turns = createKeyedMutex()
  /** Latest use last. */
  const owners = new Map<string, OwnerFolder>()
  const inUse = new Map<string, number>()
  let dropped = 0

  async function take(name: string): Promise<OwnerFolder> {
    const owner = owners.get(name) ?? { folder: folderOf(name), known: new Map() }
    owners.delete(name)
    owners.set(name, owner)
    const idle = [...owners.keys()].filter((one) => !inUse.has(one)).slice(0, Math.max(owners.size - mostOwners, 0))
    for (const one of idle) await drop(one)
    await ensureFolder(owner.folder)
    return owner
  }
  /** The folder gets another name at once, so that it can be made again while its content is removed. */
  async function drop(name: string): Promise<void> {
    owners.delete(name)
    const folder = folderOf(name)
    if (!existsSync(folder)) return
    dropped += 1
    const gone = `${folder}-${dropped}`
    renameSync(folder, gone)
    await removeInMade(gone)
  }
  const count = (name: string, by: number) => {
    const users = (inUse.get(name) ?? 0) + by
    if (users === 0) inUse.delete(name)
    else inUse.set(name, users)
  }

  return {
    async open({ owner: name, places }, signal) {
      count(name, 1)
      try {
        const turn = await turns.enter(name, signal)
        const end = () => {
          turn[Symbol.dispose]()
          count(name, -1)
        }
        try {
          const owner = await take(name)
          const leftOut = await syncPlaces(owner, places)
          let isOpen = true
          const capture = async () => {
            isOpen = false
            try {
              return await collectPlaceChanges(owner.folder, places, owner.known)
            } catch (error) {
              // What is on disk is no longer known, so it is written again from nothing.
              await drop(name)
              throw error
            }
          }
          return {
            places: places.map(({ path, name: own, writable }) => ({
              ...{ path, name: own, writable },
              folder: join(owner.folder, path),
            })),
            leftOut,
            capture,
            async close() {
              if (isOpen) await capture().catch(() => undefined)
              end()
            },
          }
        } catch (error) {
          await drop(name).catch(() => undefined)
          turn[Symbol.dispose]()
          throw error
        }
      } catch (error) {
        count(name, -1)
        throw error
      }
    },
    async remove(name) {
      using _turn = await turns.enter(name, new AbortController().signal)
      await drop(name)
    },
  }
}

/** Makes the folders hold these files. Returns the files that they cannot hold. */
async function syncPlaces({ folder, known }: OwnerFolder, places: readonly PlaceRequest[]) {
  for (const { path } of places) makeFolders(folder, join(folder, path))
  if (holdsAll(known, places)) return []
  const { wanted, leftOut } = chooseFiles(places)
  const pace = createPace()
  for (const [path, { content }] of known) {
    if (wanted.get(path)?.content === content) continue
    removeInside(folder, join(folder, path))
    known.delete(path)
    await pace()
  }
  for (const [path, file] of wanted) {
    if (known.has(path)) continue
    const stamp = writeFile(folder, file)
    if (stamp === undefined) leftOut.push(path)
    else known.set(path, { content: file.content, stamp })
    await pace()
  }
  return leftOut
}

/** True when nothing has changed, which is usual. */
function holdsAll(known: OwnerFolder['known'], places: readonly PlaceRequest[]): boolean {
  const count = places.reduce((sum, { files }) => sum + files.length, 0)
  return (
    count === known.size &&
    places.every(({ files }) => files.every(({ path, content }) => known.get(path)?.content === content))
  )
}

/** Leaves out the largest files first, so that as many as possible are there. */
function chooseFiles(places: readonly PlaceRequest[]) {
  const all = places.flatMap(({ files }) => files)
  const wanted = new Map(all.map((file) => [file.path, file]))
  const leftOut: VirtualPath[] = []
  let bytes = all.reduce((sum, { size }) => sum + size, 0)
  if (bytes <= mostBytes && all.length <= mostFiles) return { wanted, leftOut }
  for (const { path, size } of all.toSorted((a, b) => b.size - a.size)) {
    if (bytes <= mostBytes && wanted.size <= mostFiles) break
    wanted.delete(path)
    leftOut.push(path)
    bytes -= size
  }
  return { wanted, leftOut }
}

/** Names that this file system cannot have, or cannot tell apart. */
const nameProblems = new Set(['EEXIST', 'EINVAL', 'EILSEQ', 'EISDIR', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR'])

/** Undefined when the file cannot be read, or no file here can have its name. */
function writeFile(folder: string, { path, read }: PlaceFile): FileStamp | undefined {
  const location = join(folder, path)
  const bytes = read()
  if (bytes === null) return undefined
  try {
    makeFolders(folder, dirname(location))
    writeFileSync(location, bytes, { flag: 'wx', mode: 0o600 })
    return stampOf(lstatSync(location))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (nameProblems.has(code)) return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new BranchMountError(code === 'ENOSPC' ? 'no_space' : 'failed', `${path} could not be laid out: ${reason}`)
  }
}
