import { randomUUID } from 'node:crypto'
import { createAcpAgents } from '#adapters/acp/acp-agents.ts'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { createToolServer } from '#adapters/mcp/serve-tools.ts'
import { repositoryOf } from '#adapters/system/git/tracked-files.ts'
import { createTextMerge } from '#adapters/text/text-merge.ts'
import { createPageReader } from '#adapters/web/page-reader.ts'
import { noHooks } from '#core/agent/types/extensions.ts'
import type { AgentServices } from '#core/agent/types/services.ts'
import { withoutLookUps } from '#core/journal/read-thread.ts'
import { othersOf } from '#core/paths/project-folders.ts'
import { nodeHashing } from '#overlay/node'
import { type OpenChecks, openChecks } from '../checks/open-checks.ts'
import { watchDrift } from '../events/watch-drift.ts'
import { readAnswer } from '../headless/read-answer.ts'
import { pdfReader } from '../inputs/read-input.ts'
import type { Provider } from '../models/provider.ts'
import { readGitCommit } from './git-head.ts'
import type { OpenDefinitions } from './open-definitions.ts'
import type { OpenFolder } from './open-folder.ts'
import type { OpenRunners } from './open-runners.ts'
import type { OpenStore } from './open-store.ts'
import type { Opening } from './opening.ts'

/** What the stages before have opened. */
export interface Opened {
  readonly store: OpenStore
  readonly folder: OpenFolder
  readonly definitions: OpenDefinitions
  readonly runners: OpenRunners
}

/** The fifth stage: everything that agents and commands of people work with, in one value, and the checks, which read it. */
export function openServices(
  opening: Opening,
  opened: Opened,
): { readonly services: AgentServices; readonly checks: OpenChecks } {
  const { options, provider, place, userMemories, cleanup } = opening
  const { store, folder, definitions, runners } = opened
  const { log, database, events } = store
  const { base, folders, prefixes, routes } = folder
  const textMerge = cleanup.use(createTextMerge(options.textWorkerPath))
  const checks = cleanup.use(openChecksOf(opening, opened, textMerge, () => services))
  const drift = cleanup.use(
    watchDrift({
      ...withoutLookUps({ log }),
      base,
      routes,
      events,
      folders,
      report: options.log,
    }),
  )
  const services: AgentServices = {
    place: {
      name: place.info.name,
      folder: place.rootFolder,
      others: othersOf(folders).map(({ root, path }) => ({ root, folder: path ?? '' })),
    },
    ...{ log, base, textMerge, userMemories, drift, prefixes, routes, readAnswer },
    foldersBeside: folder.foldersBeside,
    ...{ blobs: database.blobs, scratch: database.scratch },
    ...{ search: runners.search, mounts: runners.mounts, shell: runners.shell },
    ...{ programs: runners.programs, runner: runners.runner },
    // A replay makes the calls of a record, perhaps of somebody else, and programs of this machine are not part of it.
    hooks: options.replay ? noHooks : definitions.hooks,
    pages: createPageReader({
      workerPath: options.pageWorkerPath,
      readPdf: pdfReader(options.pdfWorkerPath),
      privateHosts: () => opening.settings.read().outward.privateHosts,
    }),
    externalAgents: createAcpAgents(options.version),
    agentModels: provider.agentModels,
    toolServer: createToolServer(options.version),
    ...{ setup: runners.setup.runs, checks: checks.runs },
    ...ofModels(provider),
    ...{ clock: systemClock, hashing: nodeHashing, ids: { next: () => randomUUID() }, random: Math.random },
    settings: definitions.agentSettings,
    extensions: definitions.extensions,
    announce: (event) => events.publish(event),
    ...(place.rootFolder !== null && { headCommit: () => commitAround(place.rootFolder ?? '') }),
  }
  return { services, checks }
}

function openChecksOf(
  { options, settings, place }: Opening,
  { store, folder, definitions, runners }: Opened,
  textMerge: AgentServices['textMerge'],
  project: () => AgentServices,
): OpenChecks {
  const { extensions, access } = definitions
  const { log, database, events, run } = store
  const { search, mounts, shell, setup } = runners
  return openChecks({
    ...{ log, run, textMerge, search, mounts, shell, access, project },
    ...{
      base: folder.base,
      foldersBeside: folder.foldersBeside,
      blobs: database.blobs,
      hashing: nodeHashing,
      clock: systemClock,
    },
    ...{ setup: setup.runs, rootFolder: place.rootFolder, report: options.log },
    proposes: place.info.kind !== 'demo',
    ids: { next: () => randomUUID() },
    settings: () => settings.read(),
    ofProject: () => extensions.projectSettings().checks ?? [],
    findOfProject: () => extensions.find(),
    announce: (event) => events.publish(event),
  })
}

/** What agents ask about models. A provider may be another one after a change of the settings, so each asks it anew. */
function ofModels(
  provider: Provider,
): Pick<
  AgentServices,
  'resolveModel' | 'newestOf' | 'modelFor' | 'contextWindow' | 'usualCost' | 'costOf' | 'gateFor' | 'leftOutSampling'
> {
  return {
    resolveModel: (model) => provider.resolveModel(model),
    newestOf: (family, besides) => provider.newestOf(family, besides),
    modelFor: (model) => provider.modelFor(model),
    contextWindow: (model) => provider.contextWindow(model),
    usualCost: (model) => provider.usualCost(model),
    costOf: (model, tokens) => provider.costOf(model, tokens),
    gateFor: (model) => provider.gateFor(model),
    leftOutSampling: (model) => provider.leftOutSampling(model),
  }
}

/** The commit that is checked out in the repository around a folder. Null for none. */
function commitAround(folder: string): string | null {
  const top = repositoryOf(folder)
  return top === null ? null : readGitCommit(top)
}
