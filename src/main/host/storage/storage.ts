import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { hasRecords } from '#adapters/disk/apply-record.ts'
import { hashOfKept, keptFolderOf } from '#adapters/disk/large-files.ts'
import type { ProjectDatabase } from '#adapters/sqlite/project-database.ts'
import type { HostServices } from '#core/agent/types/services.ts'
import { blobsInUse } from '#core/journal/blobs-in-use.ts'
import { layersInUse } from '#core/journal/layers-in-use.ts'
import type { StoredBlob } from '#core/ports/blob-store.ts'
import type { StorageKind, StoragePart, StorageView } from '#shared/contract/views/projects.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'
import { dropEnvironment, dropSetup, viewEnvironments, viewSetup } from './environment-storage.ts'

/** The disk space that a project uses, and the part that can be removed without loss. */
export interface ProjectStorage {
  view(): Promise<StorageView>
  /** Removes what `view` reports as removable, for these kinds. Resolves to the freed bytes. */
  cleanUp(kinds: ReadonlySet<StorageKind>): Promise<number>
  /** Removes what commands of this thread left, as far as nobody else uses it. Resolves to the freed bytes. */
  dropEnvironment(threadId: ThreadId): Promise<number>
  /** Removes what the setup of the project left. Resolves to the freed bytes. */
  dropSetup(): Promise<number>
}

interface StorageOptions {
  readonly folder: string
  readonly database: Pick<ProjectDatabase, 'collector' | 'sizes' | 'shrink'>
  readonly services: Pick<HostServices, 'log' | 'mounts' | 'clock' | 'setup'>
}

export function createProjectStorage(options: StorageOptions): ProjectStorage {
  const remove: Record<StorageKind, () => Promise<void>> = {
    journal: async () => {},
    contents: () => removeUnusedBlobs(options),
    views: () => removeMounts(options),
    backups: () => removeFiles(options.folder, 'backups'),
    damaged: () => removeFiles(options.folder, 'damaged'),
  }
  return {
    view: () => viewStorage(options),
    async cleanUp(kinds) {
      const before = bytesOf(await viewStorage(options))
      for (const kind of kinds) await remove[kind]()
      return Math.max(0, before - bytesOf(await viewStorage(options)))
    },
    dropEnvironment: (threadId) => dropEnvironment(options.services, threadId),
    dropSetup: () => dropSetup(options.services),
  }
}

async function viewStorage({ folder, database, services }: StorageOptions): Promise<StorageView> {
  const { total, free } = database.sizes()
  const { bytes: blobs, unused, keptBytes, unusedFiles } = await lookThrough({ folder, database, services })
  const views = await services.mounts.storedBytes(layersInUse(services, services.clock.now()))
  const [backups, damaged] = [await filesOf(folder, 'backups'), await filesOf(folder, 'damaged')]
  const parts: readonly StoragePart[] = [
    { kind: 'journal', bytes: Math.max(0, total - blobs - free), removable: 0 },
    { kind: 'contents', bytes: blobs + free + keptBytes, removable: bytesIn(unused) + free + bytesIn(unusedFiles) },
    { kind: 'views', bytes: views.bytes, removable: views.unused },
    { kind: 'backups', bytes: bytesIn(backups), removable: bytesIn(backups) },
    { kind: 'damaged', bytes: bytesIn(damaged), removable: bytesIn(damaged) },
  ]
  return { folder, parts, environments: await viewEnvironments(services), setup: await viewSetup(services) }
}

/** Counts the bytes of all stored contents and kept files. Also lists the ones that nothing refers to. */
async function lookThrough({ folder, database, services: { log, clock } }: StorageOptions) {
  const used = await blobsInUse(log, clock.now(), () => setImmediate())
  const unused: StoredBlob[] = []
  let bytes = 0
  for (const blobs of database.collector.stored(blobsAtOnce)) {
    bytes += bytesIn(blobs)
    unused.push(...blobs.filter(({ hash, fresh }) => !fresh && !used.has(hash)))
    await setImmediate()
  }
  const kept = await keptByFolders(folder)
  const ofRoutes = await keptByRoutes(folder)
  const unusedFiles = kept.filter(({ path }) => !used.has(hashOfKept(basename(path))))
  return {
    ...{ bytes, unused },
    keptBytes: bytesIn([...kept, ...ofRoutes.needed, ...ofRoutes.unused]),
    unusedFiles: [...unusedFiles, ...ofRoutes.unused],
  }
}

/** Deleted files that were too large for the store. */
async function keptFiles(recordFolder: string): Promise<readonly StoredFile[]> {
  const place = keptFolderOf(recordFolder)
  return sizesOf(place, await readdir(place).catch(() => []))
}

/** Those of all folders of the project. */
async function keptByFolders(folder: string): Promise<readonly StoredFile[]> {
  const others = await readdir(join(folder, 'folders')).catch(() => [])
  const places = [folder, ...others.map((name) => join(folder, 'folders', name))]
  return (await Promise.all(places.map((place) => keptFiles(join(place, 'apply'))))).flat()
}

/** Writes to the folders of routes are not undone. Only one that was interrupted needs what it kept. */
async function keptByRoutes(folder: string) {
  const routes = await readdir(join(folder, 'routes')).catch(() => [])
  const needed: StoredFile[] = []
  const unused: StoredFile[] = []
  for (const name of routes) {
    const recordFolder = join(folder, 'routes', name, 'apply')
    const kept = await keptFiles(recordFolder)
    if (await hasRecords(recordFolder)) needed.push(...kept)
    else unused.push(...kept)
  }
  return { needed, unused }
}

const blobsAtOnce = 100
const bytesAtOnce = 1024 * 1024

async function removeUnusedBlobs(options: StorageOptions): Promise<void> {
  const { database } = options
  const { unused, unusedFiles } = await lookThrough(options)
  for (const { path } of unusedFiles) await rm(path, { force: true })
  for (let from = 0; from < unused.length; from += blobsAtOnce) {
    database.collector.remove(unused.slice(from, from + blobsAtOnce))
    await setImmediate()
  }
  while (database.shrink(bytesAtOnce)) await setImmediate()
}

/**
 * A mount that is still open is removed when it closes. This does not wait for it. Other work runs between two families,
 * so the mounts of each are removed while it is known that nobody works on its branches.
 */
async function removeMounts({ services }: StorageOptions): Promise<void> {
  const removals: Promise<void>[] = []
  for (const { state } of services.log.visitFamilies()) {
    const own = closedBranches(state).map((id) => services.mounts.remove(id))
    // Whoever waits for all of them hears of a failure.
    for (const one of own) one.catch(() => undefined)
    removals.push(...own)
    await setImmediate()
  }
  await services.mounts.keepLayers(layersInUse(services, services.clock.now()))
  await Promise.race([Promise.all(removals), setTimeout(longestWaitMs, undefined, { ref: false })])
}

const longestWaitMs = 5_000

/** Branches that nobody works on: discarded ones, those of subagents that ended, and all of deleted threads. */
function closedBranches(state: ProjectState): readonly BranchId[] {
  const isClosed = ({ status, parentId, threadId }: Branch): boolean => {
    const thread = state.threads.get(threadId)
    const root = state.threads.get(rootThreadOf(state, threadId))
    const ended = thread === undefined || ['done', 'failed', 'stopped'].includes(thread.status)
    return status === 'discarded' || (root?.deletedAt ?? null) !== null || (parentId !== null && ended)
  }
  return [...state.branches.values()].filter(isClosed).map(({ id }) => id)
}

const patterns = { backups: /^project\.db\.v\d+-.*\.backup$/, damaged: /^project\.db\.damaged-/ } as const

interface StoredFile {
  readonly path: string
  readonly bytes: number
}

async function filesOf(folder: string, kind: keyof typeof patterns): Promise<readonly StoredFile[]> {
  return sizesOf(
    folder,
    (await readdir(folder)).filter((name) => patterns[kind].test(name)),
  )
}

/** Without files that vanished meanwhile: an undo takes its own away. */
async function sizesOf(folder: string, names: readonly string[]): Promise<readonly StoredFile[]> {
  const found = names.map(async (name) => {
    const path = join(folder, name)
    const stats = await stat(path).catch(ignoreGone)
    return stats ? [{ path, bytes: stats.size }] : []
  })
  return (await Promise.all(found)).flat()
}

function ignoreGone(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

async function removeFiles(folder: string, kind: keyof typeof patterns): Promise<void> {
  for (const { path } of await filesOf(folder, kind)) await rm(path, { force: true })
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const bytesIn = (files: readonly { readonly bytes: number }[]): number => sum(files.map(({ bytes }) => bytes))
const bytesOf = ({ parts }: StorageView): number => sum(parts.map(({ bytes }) => bytes))
