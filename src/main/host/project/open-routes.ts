import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasRecords } from '#adapters/disk/apply-record.ts'
import { createDiskApply } from '#adapters/disk/disk-apply.ts'
import { createDiskBaseTree } from '#adapters/disk/disk-base-tree.ts'
import { guardFolder } from '#adapters/disk/folder-identity.ts'
import { keptFolderOf } from '#adapters/disk/large-files.ts'
import { recoverApply } from '#adapters/disk/restore-apply.ts'
import { createRipgrepSearch } from '#adapters/search/ripgrep-search.ts'
import type { RouteSetting } from '#adapters/settings/settings-schema.ts'
import { refusalOf } from '#adapters/shell/readable-places.ts'
import { claimFolder } from '#adapters/system/made-folders.ts'
import type { RealFolder } from '#core/ports/real-folder.ts'
import type { SharedTexts } from '#core/ports/stores/shared-texts.ts'
import type { WantedRoute } from '#core/tools/namespace/routes.ts'
import { nodeHashing } from '#overlay/node'
import type { HostOptions } from '../app/host-options.ts'
import { type CheckedRoute, isInside } from '../settings/routes.ts'
import { placesOf } from '../settings/settings-source.ts'
import { type ProjectPlace, placeInside } from './project-place.ts'

export interface OpenedRoutes extends Disposable {
  readonly wanted: readonly WantedRoute[]
  /** A sentence for each route that cannot be used by this project, or only in part. */
  readonly problems: readonly string[]
}

/** Opens what keeps the files of the routes that a person asked for. Ends writes to real folders that a crash cut off. */
export async function openRoutes(
  options: Pick<HostOptions, 'dataFolder' | 'environment' | 'log'>,
  place: ProjectPlace,
  routes: readonly CheckedRoute[],
  texts: SharedTexts,
): Promise<OpenedRoutes> {
  using cleanup = new DisposableStack()
  const wanted: WantedRoute[] = []
  const problems: string[] = []
  const openOne = async ({ prefix, setting, isForPrograms = false }: CheckedRoute): Promise<WantedRoute['backend']> => {
    switch (setting.kind) {
      case 'memory':
        return { kind: 'scratch', owner: 'thread' }
      case 'store':
        return setting.scope === 'user' ? { kind: 'shared', texts } : { kind: 'scratch', owner: 'project' }
      case 'folder': {
        const overlaps = setting.write === 'ask' && overlapsProject(place, setting.path)
        if (overlaps)
          problems.push(
            `The route ${prefix} is read-only here, because its folder and the project's lie in each other. Change the project's files by their own paths.`,
          )
        const folder = await openFolder(
          options,
          place,
          overlaps ? { ...setting, write: 'never' } : setting,
          isForPrograms,
        )
        cleanup.use(folder)
        return { kind: 'folder', folder }
      }
      case 'branch':
        return { kind: 'branch' }
    }
  }
  for (const route of routes) {
    try {
      wanted.push({ usual: route.prefix, backend: await openOne(route) })
    } catch (error) {
      problems.push(`The route ${route.prefix} is not used: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const owned = cleanup.move()
  return { wanted, problems, [Symbol.dispose]: () => owned[Symbol.dispose]() }
}

function overlapsProject({ rootFolder }: ProjectPlace, folder: string): boolean {
  return rootFolder !== null && (isInside(folder, rootFolder) || isInside(rootFolder, folder))
}

/** Throws when the folder is gone, or a link has taken its place. */
async function openFolder(
  { dataFolder, environment, log }: Pick<HostOptions, 'dataFolder' | 'environment' | 'log'>,
  place: ProjectPlace,
  { path, write }: Extract<RouteSetting, { kind: 'folder' }>,
  isForPrograms: boolean,
): Promise<RealFolder & Disposable> {
  if (realpathSync.native(path) !== path) throw new Error(`the folder ${JSON.stringify(path)} became a link.`)
  const hidden = await placeInside(path, dataFolder)
  const base = createDiskBaseTree(path, hidden)
  const own = join(place.dataFolder, 'routes', createHash('sha256').update(path).digest('hex').slice(0, 16))
  const temporaryFolder = join(own, 'temporary')
  const recordFolder = join(own, 'apply')
  claimFolder(temporaryFolder)
  mkdirSync(recordFolder, { recursive: true, mode: 0o700 })
  const onAside = (folder: string, why: string) =>
    log(`The record of an interrupted write to ${path} ${why}. It is kept in ${folder}.`, 'damaged apply record')
  await recoverApply({ rootFolder: path, recordFolder, hashing: nodeHashing, onAside })
  // Nothing is undone here, so only a record that waits needs a deleted file. One that cannot be removed takes space.
  if (!(await hasRecords(recordFolder)))
    await rm(keptFolderOf(recordFolder), { recursive: true, force: true }).catch(() => undefined)
  const search = createRipgrepSearch({ rootFolder: path, temporaryFolder, hidden, requireSame: guardFolder(path) })
  const apply =
    write === 'ask'
      ? createDiskApply({ rootFolder: path, recordFolder, hashing: nodeHashing, hidden, keepsDeleted: false })
      : null
  const { home } = placesOf({ dataFolder, environment })
  const isWithheld = refusalOf({ hidden: [dataFolder], home, environment })
  const isSafe = !isWithheld(path) && !overlapsProject(place, path)
  return {
    path,
    base,
    isForPrograms: isForPrograms && isSafe,
    search,
    apply,
    [Symbol.dispose]: () => search[Symbol.dispose](),
  }
}
