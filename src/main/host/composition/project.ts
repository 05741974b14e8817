import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { createDiskApply } from '#adapters/disk/disk-apply.ts'
import { createDiskBaseTree } from '#adapters/disk/disk-base-tree.ts'
import { guardFolder } from '#adapters/disk/folder-identity.ts'
import { recoverApply } from '#adapters/disk/restore-apply.ts'
import { createGitStorage } from '#adapters/git/git-storage.ts'
import { createPatchCheck } from '#adapters/git/patch-check.ts'
import { createSettingsReader } from '#adapters/git/personal-settings.ts'
import { nodeDeflate, nodeHashing } from '#adapters/hashing/node-hashing.ts'
import { createMcpConnector } from '#adapters/mcp/mcp-connector.ts'
import { createBranchMounts } from '#adapters/mounts/branch-mounts.ts'
import { createPace } from '#adapters/pace.ts'
import { createJsonPrograms } from '#adapters/programs/json-programs.ts'
import { resolveHosts } from '#adapters/registries/registry-hosts.ts'
import { createCodeRunner } from '#adapters/runner/code-runner.ts'
import { createSearchIndex } from '#adapters/search/index/search-index.ts'
import { createRipgrepSearch } from '#adapters/search/ripgrep-search.ts'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import { findHomeCaches } from '#adapters/shell/home-caches.ts'
import type { Sandbox } from '#adapters/shell/sandbox.ts'
import { createShell } from '#adapters/shell/shell.ts'
import { openProjectDatabase } from '#adapters/sqlite/project-database.ts'
import { acquireProjectLock } from '#adapters/sqlite/project-lock.ts'
import { openSharedTexts } from '#adapters/sqlite/shared-texts.ts'
import { claimOrMake, removeMade } from '#adapters/system/made-folders.ts'
import { createTextMerge } from '#adapters/text/text-merge.ts'
import { watchModeOf } from '#adapters/watch/watch-mode.ts'
import { closeCrashedRuns } from '#core/agent/calls/unknown-end.ts'
import { mountsOfLostProcesses, recoverProcesses } from '#core/agent/processes/recover-processes.ts'
import { keepLast } from '#core/agent/runtime/keep-last.ts'
import { type AgentRuntime, createAgentRuntime } from '#core/agent/runtime/runtime.ts'
import type { AgentServices, ProjectServices } from '#core/agent/types/services.ts'
import { promptFileAccess } from '#core/approval/file-policy.ts'
import { denyingRule } from '#core/approval/rules.ts'
import { type BranchMerges, createBranchMerges } from '#core/branches/branch-merges.ts'
import { planDiscard } from '#core/branches/go-back.ts'
import { planMerge } from '#core/branches/merge/plan.ts'
import { type Decided, executeCommand, type Stored, unwrap } from '#core/commands/command.ts'
import { findActiveThread } from '#core/commands/threads.ts'
import type { OpeningProgress } from '#core/journal/families/open-families.ts'
import { layersInUse } from '#core/journal/layers-in-use.ts'
import { openProjectLogInSteps } from '#core/journal/project-log.ts'
import { readFamily } from '#core/journal/read-thread.ts'
import { createUserMemoryDelivery } from '#core/journal/user-memory-delivery.ts'
import { createMemoryBaseTree } from '#core/overlay/in-memory-base-tree.ts'
import type { BranchMounts } from '#core/ports/branch-mounts.ts'
import type { DiskApply } from '#core/ports/disk-apply.ts'
import type { GitStorage, PatchCheck } from '#core/ports/git-storage.ts'
import type { Deflate } from '#core/ports/hashing.ts'
import type { UserMemoryStore } from '#core/ports/user-memories.ts'
import { choosePrefixes } from '#core/tools/namespace/prefixes.ts'
import { chooseRoutes, routeNotes } from '#core/tools/namespace/routes.ts'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import { isLive } from '#shared/model/event.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { finishApplies } from '../apply/carry-out.ts'
import { type OpenChecks, openChecks } from '../checks/open-checks.ts'
import {
  agentsOf,
  type EffectiveSettings,
  hostsFor,
  namesOfFolder,
  type SettingsSource,
} from '../config/settings-source.ts'
import { createTurns } from '../config/turns.ts'
import { createEventHub, type EventHub } from '../events/event-hub.ts'
import { watchDrift } from '../events/watch-drift.ts'
import { createExtensionSource, type ProjectExtensions } from '../extensions/extension-source.ts'
import { userSkillsFolder } from '../extensions/skills.ts'
import type { Door } from '../handover/door.ts'
import { readAnswer } from '../headless/read-answer.ts'
import { createMcpServers, type McpServers } from '../mcp/mcp-servers.ts'
import { openMcpTrust } from '../mcp/mcp-trust.ts'
import type { Provider } from '../models/provider.ts'
import { type OpenSetup, openSetup } from '../setup/open-setup.ts'
import { keepMemoryLow } from '../storage/keep-memory-low.ts'
import { backUpRegularly, damageOf } from '../storage/project-backups.ts'
import { createProjectStorage, type ProjectStorage } from '../storage/storage.ts'
import { recoverTerminals, viewsOfLostTerminals } from '../terminals/branch-terminal.ts'
import { createTerminals, type Terminals } from '../terminals/terminals.ts'
import type { HostOptions } from './host-options.ts'
import { openRoutes } from './open-routes.ts'
import { type ProjectPlace, placeInside, readFolder, rememberPlace } from './project-place.ts'

/**
 * One open project: its log, its agents and the services of commands. Disposing it stops the agents and releases the
 * lock.
 */
export interface Project extends AsyncDisposable {
  readonly info: () => ProjectInfo
  /** Absolute, with links resolved. Null for a scratch workspace. */
  readonly rootFolder: string | null
  readonly setTrusted: (trusted: boolean) => void
  /** Everything commands and queries read. Only `run` and the agents write. */
  readonly services: ProjectServices
  readonly runtime: AgentRuntime
  readonly merges: BranchMerges
  /** Stores a command's decision, or throws its refusal. */
  run<Answer>(decided: Decided<Answer>): Stored<Answer>
  /** Like `run`, for a command that always stores something. Returns the sequence of the entry to undo. */
  change(decided: Decided): { readonly sequence: Sequence }
  /** A thread and every subagent below it, parents first. Empty for a thread that does not exist. */
  readonly family: (threadId: ThreadId) => readonly ThreadState[]
  /** Returns a thread whose agents may run. Throws a refusal for any other. */
  requireActive(threadId: ThreadId): ThreadState
  readonly events: EventHub
  readonly extensions: ProjectExtensions
  readonly mcp: McpServers
  readonly diskApply: DiskApply | null
  readonly patchCheck: PatchCheck
  readonly gitStorage: GitStorage
  readonly deflate: Deflate
  readonly storage: ProjectStorage
  /** What makes the project ready for commands, and what could. */
  readonly setup: OpenSetup
  /** Merges when green, and what the folder proposes as checks. */
  readonly checks: OpenChecks
  /** The terminals of people. */
  readonly terminals: Terminals
  /** What a person should know about the routes of the settings in this project: other names, and what is not used. */
  readonly routeNotes: readonly string[]
  readonly databaseFile: string
  /** The latest backup of a database that was damaged when it was opened. Null when there is none. */
  readonly lastBackup: string | null
}

/** Variables of the app itself, such as its keys. */
const neverGivenOut = /^(ANTHROPIC_|COPPICE_)/i

/** Who waits for a project. */
interface Opening {
  /** Called while the project's whole history is looked into, which takes long once after some updates. */
  readonly report: (progress: OpeningProgress) => void
  /** Ends the opening, which rejects with the signal's reason. */
  readonly signal: AbortSignal
}

export interface ProjectOptions extends HostOptions {
  /** Where this process takes command lines about its projects. Null for nowhere. */
  readonly door: Door | null
}

/** Opens the database under the project's own lock. Throws `JournalError` when another process holds it. */
export async function openProject(
  options: ProjectOptions,
  settings: SettingsSource,
  provider: Provider,
  place: ProjectPlace,
  sandbox: Sandbox,
  userMemories: UserMemoryStore,
  { report, signal }: Opening,
): Promise<Project> {
  const isSecret = (name: string) => neverGivenOut.test(name) || provider.secretVariables().has(name)
  await mkdir(place.dataFolder, { recursive: true, mode: 0o700 })
  const hidden = place.rootFolder === null ? null : await placeInside(place.rootFolder, options.dataFolder)
  await using cleanup = new AsyncDisposableStack()
  cleanup.use(acquireProjectLock(join(place.dataFolder, 'lock.db'), options.holder, Date.now, options.door))
  const databaseFile = join(place.dataFolder, 'project.db')
  const database = cleanup.use(openProjectDatabase({ file: databaseFile, clock: systemClock, hashing: nodeHashing }))
  cleanup.use(backUpRegularly(database, options.log))
  if (database.movedAside !== null) {
    options.log(
      `The data of ${place.info.name} was damaged. It was kept as ${database.movedAside} and a new database was started. ${backupWords(database.lastBackup)}`,
      'damaged database',
    )
  }
  const events = createEventHub((after) => database.journal.read({ after }))
  const delivery = createUserMemoryDelivery(userMemories, place.info, (error) =>
    options.log('A memory for all projects is kept in this project until its store can take it', error),
  )
  const pace = createPace(signal)
  const log = await openProjectLogInSteps(
    database.journal,
    (entry) => {
      delivery.take(entry)
      events.publish(entry)
    },
    {
      folds: database.folds,
      afterStep(progress) {
        report(progress)
        return pace()
      },
    },
  )
  cleanup.use(keepMemoryLow(log, options.log))
  delivery.catchUp(log)
  closeCrashedRuns(log, randomUUID)
  await rememberPlace(place)
  const { folder: temporary, problem } = claimOrMake(join(place.dataFolder, 'temporary'), 'work')
  if (problem !== null) {
    cleanup.defer(() => removeMade(temporary))
    options.log(`Temporary files of ${place.info.name} are in ${temporary}: ${problem}`, 'refused folder')
  }
  const recordFolder = join(place.dataFolder, 'apply')
  await mkdir(recordFolder, { recursive: true, mode: 0o700 })
  const recovered =
    place.rootFolder === null
      ? []
      : await recoverApply({
          recordFolder,
          rootFolder: place.rootFolder,
          hashing: nodeHashing,
          onAside: (folder, why) =>
            options.log(
              `The record of an interrupted apply to ${place.info.name} ${why}. The record and the files that the apply replaced are kept in ${folder}.`,
              'damaged apply record',
            ),
        })
  const base = place.rootFolder === null ? createMemoryBaseTree() : createDiskBaseTree(place.rootFolder, hidden)
  const requireSame = place.rootFolder === null ? () => {} : guardFolder(place.rootFolder)
  const textMerge = cleanup.use(createTextMerge(options.textWorkerPath))
  const prefixes = await choosePrefixes(base)
  const texts = cleanup.use(openSharedTexts(join(options.dataFolder, 'shared.db'), systemClock))
  const opened = cleanup.use(await openRoutes(options, place, settings.read().routes, texts))
  const names = [...log.families().values()].flatMap((family) => family.names)
  const { routes, problems } = await chooseRoutes(prefixes, opened.wanted, {
    ...{ base, names },
    trees: log.trees.heads.values(),
  })
  const watchMode = place.rootFolder === null ? 'events' : watchModeOf(place.rootFolder, options.environment)
  let info: ProjectInfo = { ...place.info, damage: damageOf(database) }
  const mcp = cleanup.use(
    createMcpServers({
      base,
      connector: createMcpConnector({
        version: options.version,
        workingFolder: place.rootFolder ?? temporary,
        variable: (name) => (isSecret(name) ? undefined : options.environment[name]),
      }),
      trust: openMcpTrust(join(place.dataFolder, 'mcp-trust.json')),
      folderTrusted: () => info.trusted,
      denyingRule: (tool) => denyingRule(extensions.narrow(settings.read().agents).policy.rules, tool),
      userServers: () => settings.read().mcpServers,
    }),
  )
  const extensions: ProjectExtensions = createExtensionSource({
    files: { base, access: () => promptFileAccess(extensions.narrow(settings.read().agents).policy) },
    trusted: () => info.trusted,
    mcp,
    userAgents: () => settings.read().userAgents,
    settingsFile: settings.file,
    userSkillsFolder: userSkillsFolder(options),
    dataFolder: options.dataFolder,
    inputsPrefix: prefixes['/inputs/'],
  })
  const resolve = (hosts: readonly string[]) =>
    resolveHosts(hosts, { home: homedir(), environment: options.environment })
  const index =
    place.rootFolder === null || watchMode === 'polling'
      ? undefined
      : cleanup.use(
          createSearchIndex({
            rootFolder: place.rootFolder,
            folder: join(place.dataFolder, 'search-index'),
            hidden,
            workerPath: options.indexWorkerPath,
          }),
        )
  const search = cleanup.use(
    createRipgrepSearch({
      rootFolder: place.rootFolder,
      temporaryFolder: temporary,
      hidden,
      requireSame,
      ...(index && { index }),
    }),
  )
  const mounts: BranchMounts = cleanup.use(
    createBranchMounts({
      rootFolder: place.rootFolder,
      mountsFolder: join(place.dataFolder, 'views'),
      hidden,
      requireSame,
      isTrusted: () => info.trusted,
      abandoned: [...mountsOfLostProcesses(log), ...viewsOfLostTerminals({ log })],
      findCaches: () =>
        findHomeCaches({
          ...{ hidden: [options.dataFolder], home: homedir(), environment: options.environment },
          rootFolder: place.rootFolder,
        }),
      layerBudget: () => settings.read().environmentBytes,
      droppedLast: () => setup.runs.layers(),
    }),
  )
  const shell = createShell({
    sandbox,
    rootFolder: place.rootFolder,
    findHosts: () => resolve(hostsFor(settings.read().hosts, place.rootFolder)),
    findLimits: () => settings.read().commandLimits,
    findGitSettings: createSettingsReader(place.rootFolder, options.environment),
    otherFolder: join(place.dataFolder, 'commands'),
  })
  const setup = cleanup.use(
    await openSetup({
      ...{ base, search, mounts, shell, blobs: database.blobs, hashing: nodeHashing, clock: systemClock },
      ...{ rootFolder: place.rootFolder, dataFolder: place.dataFolder, override: options.overrides?.setup },
      ...{ home: homedir(), environment: options.environment },
      access: () => promptFileAccess(extensions.narrow(settings.read().agents).policy),
      settings: () => settings.read(),
      ofProject: () => extensions.projectSettings(),
      announce: (threadId, state) =>
        events.publish({
          ...{ type: 'setup.changed', setup: state, threadId },
          ...{ at: systemClock.now(), sequence: log.state.sequence },
        }),
    }),
  )
  const run = <Answer>(decided: Decided<Answer>): Stored<Answer> => executeCommand(log, decided)
  const checks = cleanup.use(
    openChecks({
      ...{
        base,
        search,
        mounts,
        shell,
        blobs: database.blobs,
        hashing: nodeHashing,
        clock: systemClock,
        log,
        textMerge,
      },
      ...{ setup: setup.runs, run, rootFolder: place.rootFolder, report: options.log },
      proposes: place.info.kind !== 'demo',
      ids: { next: () => randomUUID() },
      access: () => promptFileAccess(extensions.narrow(settings.read().agents).policy),
      settings: () => settings.read(),
      ofProject: () => extensions.projectSettings().checks ?? [],
      findOfProject: () => extensions.find(),
      announce: (event) => events.publish(event),
      project: () => services,
    }),
  )
  const turns = createTurns()
  /** The same object until something was set. What agents make of it, such as their policy, is made as rarely. */
  const narrowed = keepLast((read: EffectiveSettings, _narrowing: Settings, _names: string) =>
    extensions.narrow(agentsOf(read, place.rootFolder)),
  )
  /** Agents ask dozens of times in a turn, and each time would look at the files of the settings. */
  const agentSettings = keepLast((_latest: EffectiveSettings, narrowing: Settings, _turn: number) => {
    const read = settings.read()
    return narrowed(read, narrowing, namesOfFolder(read, place.rootFolder))
  })
  const services: AgentServices = {
    place: { name: place.info.name, folder: place.rootFolder },
    log,
    base,
    blobs: database.blobs,
    hashing: nodeHashing,
    textMerge,
    search,
    scratch: database.scratch,
    userMemories,
    mounts,
    shell,
    setup: setup.runs,
    checks: checks.runs,
    programs: cleanup.use(
      createJsonPrograms({
        workingFolder: join(place.dataFolder, 'programs'),
        projectFolder: place.rootFolder,
        environment: () =>
          Object.fromEntries(
            Object.entries(options.environment).flatMap(([name, value]) =>
              value === undefined || isSecret(name) ? [] : [[name, value]],
            ),
          ),
      }),
    ),
    runner: cleanup.use(createCodeRunner({ nodePath: options.nodePath, childPath: options.runnerChildPath })),
    resolveModel: (model) => provider.resolveModel(model),
    newestOf: (family, besides) => provider.newestOf(family, besides),
    modelFor: (model) => provider.modelFor(model),
    contextWindow: (model) => provider.contextWindow(model),
    usualCost: (model) => provider.usualCost(model),
    costOf: (model, tokens) => provider.costOf(model, tokens),
    gateFor: (model) => provider.gateFor(model),
    leftOutSampling: (model) => provider.leftOutSampling(model),
    readAnswer,
    clock: systemClock,
    ids: { next: () => randomUUID() },
    random: Math.random,
    prefixes,
    routes,
    drift: cleanup.use(
      watchDrift({ log, base, routes, events, rootFolder: place.rootFolder, watchMode, report: options.log }),
    ),
    settings: () => agentSettings(settings.latest(), extensions.narrowing(), turns()),
    extensions,
    announce: (event) => events.publish(event),
  }
  events.listen((event) => {
    if (event.type !== 'branch.discarded' || !event.whole) return
    const report = (error: unknown) => options.log('The files of a discarded branch could not be removed', error)
    services.mounts.remove(event.branchId).catch(report)
  })
  const reportLayers = (error: unknown) => options.log('What a crash left of environments could not be removed', error)
  services.mounts.keepLayers(layersInUse(services, systemClock.now())).catch(reportLayers)
  const merges = createBranchMerges({
    state: () => log.state,
    trees: () => log.trees,
    now: () => systemClock.now(),
    planMerge: (trees, branch, chosen) => planMerge({ trees, branch, ...chosen, ...services }),
    planDiscard,
  })
  const diskApply =
    place.rootFolder === null
      ? null
      : createDiskApply({ rootFolder: place.rootFolder, recordFolder, hashing: nodeHashing, hidden })
  if (diskApply) await finishApplies({ services, disk: diskApply, run }, recovered)
  await recoverProcesses(services)
  const ofTerminals = {
    ...{ services, setup, run, report: options.log },
    ...{ folder: place.rootFolder, hidden: provider.secretVariables },
  }
  await recoverTerminals(ofTerminals)
  const terminals = cleanup.use(createTerminals(ofTerminals))
  const runtime = cleanup.use(createAgentRuntime(services, merges))
  events.listen((event) => {
    if (!isLive(event)) runtime.processes.take(event)
  })
  const owned = cleanup.move()
  return {
    info: () => (place.rootFolder === null ? info : { ...info, ...readFolder(place.rootFolder) }),
    rootFolder: place.rootFolder,
    setTrusted: (trusted) => {
      info = { ...info, trusted }
    },
    services,
    extensions,
    runtime,
    merges,
    run,
    change(decided) {
      const { sequence } = run(decided)
      if (sequence === null) throw new Error('A change stored no entry.')
      return { sequence }
    },
    family: (threadId) => readFamily(log, threadId),
    requireActive: (threadId) => unwrap(findActiveThread(log, threadId)),
    mcp,
    setup,
    checks,
    terminals,
    events,
    diskApply,
    patchCheck: createPatchCheck(temporary),
    gitStorage: createGitStorage({
      rootFolder: place.rootFolder,
      temporaryFolder: temporary,
      trusts: () => info.trusted,
    }),
    deflate: nodeDeflate,
    storage: createProjectStorage({ folder: place.dataFolder, database, services }),
    routeNotes: [...opened.problems, ...problems, ...routeNotes(routes)],
    databaseFile,
    lastBackup: database.lastBackup,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function backupWords(lastBackup: string | null): string {
  if (lastBackup === null) return 'There is no backup of it'
  return `To go back to the last backup, close Coppice and replace project.db by ${lastBackup}`
}
