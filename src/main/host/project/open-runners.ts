import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { createSettingsReader } from '#adapters/git/personal-settings.ts'
import { createBranchMounts } from '#adapters/mounts/branch-mounts.ts'
import { joinMounts, layersOf } from '#adapters/mounts/folders/join-mounts.ts'
import { createJsonPrograms } from '#adapters/programs/json-programs.ts'
import { resolveHosts } from '#adapters/registries/registry-hosts.ts'
import { createCodeRunner } from '#adapters/runner/code-runner.ts'
import { createSearchIndex } from '#adapters/search/index/search-index.ts'
import { createRipgrepSearch } from '#adapters/search/ripgrep-search.ts'
import { findHomeCaches } from '#adapters/shell/home-caches.ts'
import { createShell } from '#adapters/shell/shell.ts'
import { viewsOfLostSessions } from '#core/agent/external/recover-sessions.ts'
import { mountsOfLostProcesses } from '#core/agent/processes/recover-processes.ts'
import { joinSearches } from '#core/folders/join-searches.ts'
import { withoutLookUps } from '#core/journal/read-thread.ts'
import { eachFolder } from '#core/paths/project-folders.ts'
import type { BranchMounts } from '#core/ports/branch-mounts.ts'
import { nodeHashing } from '#overlay/node'
import { rootPath } from '#shared/model/virtual-path.ts'
import { hostsFor, reachFor } from '../settings/granted-reach.ts'
import { ownSetup } from '../settings/setup-settings.ts'
import { type OpenSetup, openSetup } from '../setup/open-setup.ts'
import { viewsOfLostTerminals } from '../terminals/branch-terminal.ts'
import type { OpenDefinitions } from './open-definitions.ts'
import type { OpenFolder } from './open-folder.ts'
import type { OpenStore } from './open-store.ts'
import { givenToPrograms, type Opening } from './opening.ts'

export type OpenRunners = Awaited<ReturnType<typeof openRunners>>

/** The fourth stage: what searches and runs: views of branches, the shell, code, programs, and the setup of the project. */
export async function openRunners(
  opening: Opening,
  store: OpenStore,
  folder: OpenFolder,
  { extensions, access }: OpenDefinitions,
) {
  const { options, settings, place, cleanup } = opening
  const { rootFolder, dataFolder } = place
  const { environment } = options
  const search = openSearch(opening, folder)
  const mounts = openMounts(opening, store, folder, () => setup.runs.layers())
  const shell = createShell({
    sandbox: opening.sandbox,
    rootFolder,
    findHosts: () =>
      resolveHosts(hostsFor(settings.read().hosts, rootFolder), { home: homedir(), environment: options.environment }),
    findReach: () => reachFor(settings.read().reach, rootFolder),
    findVariables: () => ownSetup(settings.read().setup, rootFolder).variables ?? {},
    findLimits: () => settings.read().commandLimits,
    findGitSettings: createSettingsReader(rootFolder, environment),
    otherFolder: join(dataFolder, 'commands'),
  })
  const setup: OpenSetup = cleanup.use(
    await openSetup({
      ...{ base: folder.base, foldersBeside: folder.foldersBeside, search, mounts, shell, blobs: store.database.blobs },
      ...{ hashing: nodeHashing, clock: systemClock, rootFolder, dataFolder, access },
      ...{ home: homedir(), environment, override: options.overrides?.setup },
      settings: () => settings.read(),
      ofProject: () => extensions.projectSettings(),
      announce: (threadId, state) =>
        store.events.publish({
          ...{ type: 'setup.changed', setup: state, threadId },
          ...{ at: systemClock.now(), sequence: store.log.state.sequence },
        }),
    }),
  )
  const programs = cleanup.use(
    createJsonPrograms({
      workingFolder: join(dataFolder, 'programs'),
      projectFolder: rootFolder,
      environment: () => givenToPrograms(opening),
    }),
  )
  const runner = cleanup.use(createCodeRunner({ nodePath: options.nodePath, childPath: options.runnerChildPath }))
  return { search, mounts, shell, setup, programs, runner }
}

function openSearch({ options, cleanup }: Opening, { folders, temporary }: OpenFolder) {
  const searches = eachFolder(folders, ({ root, rootFolder, dataFolder, hidden, requireSame, watchMode }) => {
    const folder = join(dataFolder, 'search-index')
    const index =
      rootFolder === null || watchMode === 'polling'
        ? undefined
        : cleanup.use(createSearchIndex({ rootFolder, folder, hidden, workerPath: options.indexWorkerPath }))
    const own = { rootFolder, temporaryFolder: temporary, hidden, requireSame }
    return { root, search: cleanup.use(createRipgrepSearch({ ...own, ...(index && { index }) })) }
  })
  return joinSearches(searches)
}

function openMounts(
  { options, settings, cleanup }: Opening,
  { log }: OpenStore,
  { folders, isTrusted }: OpenFolder,
  layersOfSetup: OpenSetup['runs']['layers'],
): BranchMounts {
  const lost = [...mountsOfLostProcesses(log), ...viewsOfLostSessions(log)]
  const abandoned = [...lost, ...viewsOfLostTerminals(withoutLookUps({ log }))]
  const mounts = eachFolder(folders, ({ root, name, rootFolder, dataFolder, hidden, requireSame }) => {
    const cacheInput = { hidden: [options.dataFolder], home: homedir(), environment: options.environment, rootFolder }
    const isFirst = root === rootPath
    const tag = isFirst ? '' : basename(dataFolder)
    const own = cleanup.use(
      createBranchMounts({
        mountsFolder: join(dataFolder, 'views'),
        ...{ rootFolder, hidden, requireSame, isTrusted, abandoned },
        // Commands have the home of the first folder's view.
        ...(isFirst && { findCaches: () => findHomeCaches(cacheInput) }),
        layerBudget: () => settings.read().environmentBytes,
        droppedLast: () => new Set(layersOf({ tag }, [...layersOfSetup()])),
      }),
    )
    return { root, name, path: rootFolder, tag, mounts: own }
  })
  return joinMounts(mounts)
}
