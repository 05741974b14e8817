import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createGitDelivery } from '#adapters/git/git-delivery.ts'
import { createGitStorage } from '#adapters/git/git-storage.ts'
import { createPatchCheck } from '#adapters/git/patch-check.ts'
import { watchModeOf } from '#adapters/watch/watch-mode.ts'
import { unwrap } from '#core/commands/command.ts'
import { findActiveThread } from '#core/commands/threads.ts'
import { joinDeliveries, joinStorages } from '#core/folders/join-git.ts'
import { readFamily, withoutLookUps } from '#core/journal/read-thread.ts'
import { eachFolder, othersOf } from '#core/paths/project-folders.ts'
import { nodeDeflate } from '#overlay/node'
import { createCheckouts } from '../checkouts/checkouts.ts'
import { createProjectStorage } from '../storage/storage.ts'
import { openDefinitions } from './open-definitions.ts'
import { openFolder } from './open-folder.ts'
import { openRunners } from './open-runners.ts'
import { openServices } from './open-services.ts'
import { openStore } from './open-store.ts'
import type { Opening } from './opening.ts'
import type { Project } from './project.ts'
import { rememberPlace } from './project-place.ts'
import { startWork } from './start-work.ts'

/**
 * Opens the database under the project's own lock, and in stages what stands on it. Throws `JournalError` when another process
 * holds the lock.
 */
export async function openProject(request: Omit<Opening, 'cleanup'>): Promise<Project> {
  await using cleanup = new AsyncDisposableStack()
  const opening: Opening = { ...request, cleanup }
  const { place } = opening
  await mkdir(place.dataFolder, { recursive: true, mode: 0o700 })
  const store = await openStore(opening)
  await rememberPlace(place)
  const folder = await openFolder(opening, store)
  const definitions = openDefinitions(opening, store, folder)
  const runners = await openRunners(opening, store, folder, definitions)
  const opened = { store, folder, definitions, runners }
  const { services, checks } = openServices(opening, opened)
  const listed = withoutLookUps(services)
  const work = await startWork(opening, opened, services)
  const { log, run, database } = store
  const repositories = eachFolder(folder.folders, ({ root, rootFolder }) => {
    const repository = { rootFolder, temporaryFolder: folder.temporary, trusts: folder.isTrusted }
    return { root, storage: createGitStorage(repository), delivery: createGitDelivery(repository) }
  })
  const gitDelivery = joinDeliveries(repositories)
  const checkouts = cleanup.use(
    createCheckouts(
      {
        ...{
          services: listed,
          run,
          rootFolder: place.rootFolder,
          gitDelivery,
          otherFolders: othersOf(folder.folders).map(({ root }) => root),
          events: store.events,
          report: opening.options.log,
        },
        ...{
          ownFolder: join(place.dataFolder, 'checkouts'),
          watchMode: watchModeOf(place.dataFolder, opening.options.environment),
        },
      },
      opening.options.frontend !== 'cli',
    ),
  )
  const owned = cleanup.move()
  return {
    rootFolder: place.rootFolder,
    folders: folder.folders,
    ...{ services: listed, checks, run, ...work },
    ...{ info: folder.info, setTrusted: folder.setTrusted, routeNotes: folder.routeNotes, diskApply: folder.diskApply },
    ...{
      mcp: definitions.mcp,
      hooks: definitions.hooks,
      extensions: definitions.extensions,
      setup: runners.setup,
      events: store.events,
    },
    ...{ deflate: nodeDeflate, databaseFile: store.databaseFile, lastBackup: database.lastBackup },
    patchCheck: createPatchCheck(folder.temporary),
    gitStorage: joinStorages(repositories),
    ...{ gitDelivery, checkouts },
    storage: createProjectStorage({ folder: place.dataFolder, database, services: listed }),
    change(decided) {
      const { sequence } = run(decided)
      if (sequence === null) throw new Error('A change stored no entry.')
      return { sequence }
    },
    family: (threadId) => readFamily(log, threadId),
    requireActive: (threadId) => unwrap(findActiveThread(log, threadId)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
