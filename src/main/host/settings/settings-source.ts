import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ProviderSetting } from '#adapters/settings/providers-schema.ts'
import { checkSettings } from '#adapters/settings/settings-check.ts'
import {
  type FoundProblem,
  noSettings,
  putSetting,
  type RuleChange,
  readSettings,
  replaceSettings,
  type SettingsReading,
  settingsText,
  updateRules,
  updateSettings,
} from '#adapters/settings/settings-file.ts'
import { goalFrom, type Settings } from '#adapters/settings/settings-schema.ts'
import { type CommandLimits, defaultLimits } from '#adapters/shell/limits/command-limits.ts'
import { defaultResultTokens } from '#core/agent/context/eviction.ts'
import {
  type AgentSettings,
  type Budget,
  type Budgets,
  defaultBudgets,
  defaultRetry,
  defaultSummarisation,
  defaultUnknownPrice,
} from '#core/agent/types/settings.ts'
import { noRules } from '#core/approval/rules.ts'
import { defaultRunnerLimits } from '#core/ports/code-runner.ts'
import { isJsonObject } from '#shared/base/json.ts'
import { readReach } from '#shared/base/reach/local-reach.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { type CommandApproval, concerns, type SettingsProblem } from '#shared/model/settings.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { HostOptions } from '../app/host-options.ts'
import { hooksIn } from '../hooks/read-hooks.ts'
import { defaultModelId } from '../models/catalogue.ts'
import { type ProfileSettings, type Profiles, readProfiles } from '../models/profiles.ts'
import { type CheckSettings, type GivenCheck, saveChecks } from './check-settings.ts'
import { type EnvironmentSettings, environmentSettings } from './environment-settings.ts'
import { type FolderSettings, folderSettings, type GivenFolder } from './folders.ts'
import { allReached, type GrantedHosts, type GrantedReach, hostsIn, reachIn } from './granted-reach.ts'
import { withMemoryRules } from './memory-rules.ts'
import { outwardIn, type SpanTarget, spanTargetIn } from './outward.ts'
import { type CheckedRoute, checkRoutes } from './routes.ts'
import { folderIn, isFolder, type ProjectSetupSetting, type SetupSettings, setupSettings } from './setup-settings.ts'
import { tuningFrom } from './tuning.ts'

/** The settings in effect: the data folder's file, then `--settings`, then the environment. Later ones win. */
export interface EffectiveSettings {
  readonly model: string
  readonly baseUrl: string | null
  /** The person's own profiles, as the settings have them. */
  readonly providers: Readonly<Record<string, ProviderSetting>>
  /** The profiles that they and the environment describe. */
  readonly profiles: Profiles
  readonly approvalMode: ApprovalMode
  /** When commands in the sandbox are approved: by the folder of a project, and otherwise. */
  readonly commandApprovals: CommandApprovals
  readonly agents: AgentSettings
  /** The user's agents in their raw form. */
  readonly userAgents: readonly unknown[]
  /** The user's hooks in their raw form, and the file that they are in. */
  readonly hooks: { readonly given: unknown; readonly file: string }
  /** The user's servers in their raw form. */
  readonly mcpServers: Readonly<Record<string, unknown>>
  /** The usable places beside the project. Read when a project is opened. */
  readonly routes: readonly CheckedRoute[]
  /** Folders beside projects, which agents may read. Read when a project is opened. */
  readonly folders: FolderSettings
  /** The program and arguments that open a file. Null for a known editor. */
  readonly editor: readonly string[] | null
  /** What the person set about setups of projects. */
  readonly setup: SetupSettings
  /** The checks that the person set. */
  readonly checks: CheckSettings
  /** The most bytes that what commands leave may take in each project. */
  readonly environmentBytes: number
  /** Read only when the app starts. */
  readonly sandbox: 'auto' | 'off'
  /** Whether Coppice looks for new versions by itself. */
  readonly outward: ReturnType<typeof outwardIn>
  readonly updates: 'daily' | 'off'
  /** Where spans of what agents do are sent. Null for nowhere. */
  readonly spans: SpanTarget | null
  /** What one command may take. */
  readonly commandLimits: CommandLimits
  /** Hosts that all commands may reach: those of each project's folder, and those of every project. */
  readonly hosts: GrantedHosts
  /** Ports and sockets of this machine that all commands reach. */
  readonly reach: GrantedReach
  readonly problems: readonly string[]
  /** Those of them that are in files, with what they are about. */
  readonly fileProblems: readonly FoundProblem[]
  /** The file whose permission rules are in effect. */
  readonly rulesFile: string
}

interface CommandApprovals {
  /** Absent for as the mode says. */
  readonly everywhere: CommandApproval | undefined
  readonly byFolder: Readonly<Record<string, { readonly commands: CommandApproval }>>
}

/** The settings of agents in a project. A folder in the settings may be a link to the project's. */
export function agentsOf(
  { agents, commandApprovals, hosts, reach }: EffectiveSettings,
  rootFolder: string | null,
): AgentSettings {
  const { everywhere, byFolder } = commandApprovals
  const own = Object.entries(byFolder).find(([folder]) => rootFolder !== null && isFolder(folder, rootFolder))
  const policy = {
    ...agents.policy,
    commands: own?.[1].commands ?? everywhere,
    hosts: allReached({ hosts, reach }, rootFolder),
  }
  return { ...agents, policy }
}

/** The folders by which the settings name the project's now, in one text. All that `agentsOf` looks up on disk. */
export function namesOfFolder(
  { commandApprovals, hosts, reach }: EffectiveSettings,
  rootFolder: string | null,
): string {
  const named = [
    ...[commandApprovals.byFolder, hosts.byFolder].flatMap(Object.keys),
    ...[reach.portsByFolder, reach.socketsByFolder].flatMap(Object.keys),
  ]
  return named.filter((folder) => rootFolder !== null && isFolder(folder, rootFolder)).join('\n')
}

export interface SettingsSource {
  readonly file: string
  /** Reads the files again when they were changed elsewhere. */
  read(): EffectiveSettings
  /** As last read or written here. Looks at no file. */
  latest(): EffectiveSettings
  /** The raw text of the file. */
  text(): string
  replace(text: string): void
  /** Sets one value of the file. `undefined` removes it, and the index -1 adds to a list. */
  put(path: readonly (string | number)[], value: unknown): void
  update(change: Partial<Settings>): Promise<void>
  /**
   * Adds hosts that all commands of the project in a folder may reach, and ports and sockets of this machine, as
   * `localhost:5432` and `/run/docker.sock`. Changes the file whose hosts are in effect.
   * Throws a refusal while that file says something wrong about the sandbox.
   */
  grantHosts(rootFolder: string, hosts: readonly string[]): void
  /** Adds hosts to the definition of an agent. Throws a refusal when the file whose definitions are in effect has none. */
  allowAgentHosts(name: string, hosts: readonly string[]): void
  /** Sets the setup of the project in a folder, in the file whose setups are in effect. `undefined` removes it. */
  saveSetup(rootFolder: string, setup: ProjectSetupSetting | undefined): void
  /** Gives the project in a folder another folder, in the file whose folders are in effect. `undefined` takes it away. */
  saveFolder(rootFolder: string, name: string, folder: Omit<GivenFolder, 'name'> | undefined): void
  /** Adds checks of the project in a folder, and replaces those of the same names. An empty list wants none. */
  saveChecks(rootFolder: string, checks: readonly GivenCheck[]): void
  /** Changes the file whose permission rules are in effect. */
  updateRules(change: RuleChange): Promise<void>
}

export function createSettingsSource(options: HostOptions): SettingsSource {
  const file = join(options.dataFolder, 'settings.json')
  const load = (): EffectiveSettings => {
    const own = readSettings(file)
    const overlay = options.settingsFile === null ? noSettings : readSettings(options.settingsFile)
    const overrides =
      options.overrides?.maxIterations === undefined ? {} : { max_iterations: options.overrides.maxIterations }
    const environment = environmentSettings(options.environment)
    const settings = { ...own.settings, ...overlay.settings, ...overrides }
    const profiles = readProfiles(profileSettings(settings), options.environment)
    const granted = { hosts: hostsIn(settings, options.overrides?.hosts), reach: reachIn(settings, options.overrides) }
    const spans = spanTargetIn(settings, options.environment)
    const merged = { ...effective(settings, environment), ...granted, profiles, spans }
    const routes = checkRoutes(routesOf(own, overlay), placesOf(options))
    const routesFile = overlay.settings.routes === undefined ? file : (options.settingsFile ?? file)
    const wrongRoutes = routes.problems.map((problem) => `${routesFile}: routes: ${problem}`)
    const rulesFile = overlay.settings.permissions === undefined ? file : (options.settingsFile ?? file)
    const lost =
      options.settingsFile === null ? [] : replacedGuards(own.settings, overlay.settings, options.settingsFile)
    const providersFile = overlay.settings.providers === undefined ? file : (options.settingsFile ?? file)
    const wrongProfiles = profiles.problems.map((problem) => `${providersFile}: ${problem}`)
    const hooks = {
      given: settings.hooks ?? {},
      file: overlay.settings.hooks === undefined ? file : (options.settingsFile ?? file),
    }
    const wrongHooks = hooksIn(hooks.given, { source: 'settings', file: hooks.file }).problems
    const problems = [
      ...[...own.problems, ...overlay.problems, ...lost],
      ...[...wrongRoutes, ...wrongProfiles, ...wrongHooks, ...environment.problems],
    ]
    const gateProblems = [...own.gateProblems, ...overlay.gateProblems, ...wrongHooks, ...environment.gateProblems]
    const fileProblems = [...own.found, ...overlay.found]
    const agents = { ...merged.agents, gateProblems }
    const folders = folderSettings(settings, options.overrides?.folders)
    return { ...merged, agents, hooks, routes: routes.used, folders, problems, fileProblems, rulesFile }
  }
  const stamp = (): string => [file, options.settingsFile].map((one) => (one === null ? '' : stampOf(one))).join(' ')
  // The stamp comes first, so that a change during the reading is read the next time.
  let [stamped, current] = [stamp(), load()]
  const reload = (): void => {
    ;[stamped, current] = [stamp(), load()]
  }
  return {
    file,
    read() {
      if (stamp() !== stamped) reload()
      return current
    },
    latest: () => current,
    text: () => settingsText(file),
    replace(text) {
      replaceSettings(file, text)
      reload()
    },
    put(path, value) {
      requireOnce(file, [String(path[0])])
      putSetting(file, [...path], value)
      reload()
    },
    grantHosts(rootFolder, hosts) {
      const overlay = options.settingsFile === null ? undefined : readSettings(options.settingsFile).settings.sandbox
      const inEffect = overlay === undefined ? file : (options.settingsFile ?? file)
      requireSandbox([options.settingsFile ?? file, file])
      const { sandbox } = readSettings(inEffect).settings
      if (typeof sandbox === 'string') putSetting(inEffect, ['sandbox'], { mode: sandbox })
      const set = typeof sandbox === 'object' ? sandbox : {}
      const wanted = readReach(hosts)
      const add = <Value>(key: string, there: Readonly<Record<string, Value[]>> = {}, more: readonly Value[]) => {
        if (more.length === 0) return
        const folder = folderIn(there, rootFolder)
        putSetting(inEffect, ['sandbox', key, folder], [...new Set([...(there[folder] ?? []), ...more])])
      }
      add('hosts', set.hosts, wanted.hosts)
      add('local_ports', set.local_ports, wanted.localPorts)
      add('sockets', set.sockets, wanted.sockets)
      reload()
    },
    allowAgentHosts(name, hosts) {
      const overlay = options.settingsFile === null ? undefined : readSettings(options.settingsFile).settings.subagents
      const inEffect = overlay === undefined ? file : (options.settingsFile ?? file)
      const { subagents = [] } = readSettings(inEffect).settings
      const index = subagents.findIndex((one) => isJsonObject(one) && one.name === name)
      const definition = subagents[index]
      if (!isJsonObject(definition)) throw new WireError('REFUSED', `${inEffect} defines no agent ${name}.`)
      requireOnce(inEffect, ['subagents'])
      const there = Array.isArray(definition.hosts) ? definition.hosts : []
      putSetting(inEffect, ['subagents', index, 'hosts'], [...new Set([...there, ...hosts])])
      reload()
    },
    saveSetup(rootFolder, setup) {
      const overlay =
        options.settingsFile === null ? undefined : readSettings(options.settingsFile).settings.environment
      const inEffect = overlay === undefined ? file : (options.settingsFile ?? file)
      const folder = folderIn(readSettings(inEffect).settings.environment?.projects ?? {}, rootFolder)
      requireOnce(inEffect, ['environment'])
      putSetting(inEffect, ['environment', 'projects', folder], setup)
      reload()
    },
    saveFolder(rootFolder, name, folder) {
      const overlay = options.settingsFile === null ? undefined : readSettings(options.settingsFile).settings.folders
      const inEffect = overlay === undefined ? file : (options.settingsFile ?? file)
      const project = folderIn(readSettings(inEffect).settings.folders?.projects ?? {}, rootFolder)
      requireOnce(inEffect, ['folders'])
      putSetting(inEffect, ['folders', 'projects', project, name], folder)
      reload()
    },
    saveChecks(rootFolder, checks) {
      const overlay =
        options.settingsFile === null ? undefined : readSettings(options.settingsFile).settings.checks_by_folder
      saveChecks(overlay === undefined ? file : (options.settingsFile ?? file), rootFolder, checks)
      reload()
    },
    async update(change) {
      requireOnce(file, Object.keys(change))
      await updateSettings(file, change)
      reload()
    },
    async updateRules(change) {
      requireOnce(current.rulesFile, ['permissions'])
      await updateRules(current.rulesFile, change)
      reload()
    },
  }
}

/** Throws a refusal for a file in which a change of the sandbox would lose something, or have no effect. */
function requireSandbox(files: readonly string[]): void {
  for (const file of files) requireWithout(file, (problem) => problem.wrong && concerns(problem, ['sandbox']))
}

/**
 * Throws a refusal where one of the settings stands twice: the first would be changed, and only the last is used, so that a
 * new rule would guard nothing.
 */
function requireOnce(file: string, keys: readonly string[]): void {
  requireWithout(file, (problem) => problem.twice === true && concerns(problem, keys))
}

function requireWithout(file: string, isInTheWay: (problem: SettingsProblem) => boolean): void {
  const wrong = checkSettings(settingsText(file)).problems.find(isInTheWay)
  if (!wrong) return
  throw new WireError('REFUSED', `${file}:${wrong.line ?? 1}: ${wrong.message} Correct it first. Nothing was saved.`)
}

function routesOf(own: SettingsReading, overlay: SettingsReading): NonNullable<Settings['routes']> {
  return overlay.settings.routes ?? own.settings.routes ?? {}
}

/** Where folders that the settings name may not lead to, and what `~` stands for. */
export function placesOf({ dataFolder, environment }: Pick<HostOptions, 'dataFolder' | 'environment'>): {
  readonly dataFolder: string
  readonly home: string
} {
  return { dataFolder, home: environment.HOME ?? homedir() }
}

/** Changes with the file. Does not read the file's content. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats ? `${stats.ino}:${stats.mtimeMs}:${stats.size}` : ''
}

/** What restricts agents in the person's settings and is replaced as a whole by a file for one run. */
function replacedGuards(own: Settings, overlay: Settings, file: string): readonly string[] {
  const rules = [...(own.permissions?.deny ?? []), ...(own.permissions?.ask ?? [])]
  const kept = new Set([...(overlay.permissions?.deny ?? []), ...(overlay.permissions?.ask ?? [])])
  const lostRules = overlay.permissions === undefined ? [] : rules.filter((rule) => !kept.has(rule))
  const asking = Object.entries(own.interrupt_on ?? {}).flatMap(([name, setting]) => (setting === false ? [] : [name]))
  const given = overlay.interrupt_on
  const lostNames = given === undefined ? [] : asking.filter((name) => !Object.hasOwn(given, name))
  const keptHooks = groupsOf(overlay.hooks)
  const lostHooks = overlay.hooks === undefined ? [] : groupsOf(own.hooks).filter((one) => !keptHooks.includes(one))
  const lostEvents = [...new Set(lostHooks.map((one) => one.slice(0, one.indexOf(' '))))]
  return [
    ...(lostRules.length > 0
      ? [`${file}: permissions: it takes the place of your own rules ${lostRules.join(', ')}.`]
      : []),
    ...(lostNames.length > 0
      ? [`${file}: interrupt_on: it takes the place of your own for ${lostNames.join(', ')}.`]
      : []),
    ...(lostEvents.length > 0
      ? [`${file}: hooks: it takes the place of your own hooks for ${lostEvents.join(', ')}.`]
      : []),
  ]
}

/** Each group of hooks as a text that begins with its event, to compare two files by. */
function groupsOf(hooks: Settings['hooks'] = {}): readonly string[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : [groups]).map((group) => `${event} ${JSON.stringify(group)}`),
  )
}

function profileSettings({ base_url, providers = {}, default_provider }: Settings): ProfileSettings {
  return { baseUrl: base_url ?? null, providers, defaultProvider: default_provider ?? null }
}

/** The model of new threads when none is set: the first of the usual profile, or the newest that the app knows. */
function usualModel({ providers = {}, default_provider }: Settings): string {
  const [first] = Object.keys((default_provider && providers[default_provider]?.models) || {})
  return first === undefined ? defaultModelId : `${default_provider}/${first}`
}

function effective(
  settings: Settings,
  environment: EnvironmentSettings,
): Omit<
  EffectiveSettings,
  'routes' | 'folders' | 'problems' | 'fileProblems' | 'rulesFile' | 'hosts' | 'reach' | 'profiles' | 'spans' | 'hooks'
> {
  return {
    model: settings.model ?? usualModel(settings),
    baseUrl: settings.base_url ?? null,
    providers: settings.providers ?? {},
    approvalMode: settings.approval_mode ?? 'auto-edit',
    commandApprovals: { everywhere: settings.approvals?.commands, byFolder: settings.approvals?.projects ?? {} },
    agents: agentSettings(settings, environment),
    userAgents: settings.subagents ?? [],
    mcpServers: settings.mcp_servers ?? {},
    editor: settings.editor ?? null,
    setup: setupSettings(settings),
    outward: outwardIn(settings),
    checks: { general: settings.checks ?? [], byFolder: settings.checks_by_folder ?? {} },
    environmentBytes: (settings.environments?.max_gb ?? 10) * bytesOfGigabyte,
    sandbox: (typeof settings.sandbox === 'object' ? settings.sandbox.mode : settings.sandbox) ?? 'auto',
    commandLimits: limitsIn(settings),
    updates: settings.updates ?? 'daily',
  }
}

function limitsIn({ sandbox }: Settings): CommandLimits {
  const set = (typeof sandbox === 'object' && sandbox.limits) || {}
  const megabytes = (size: number | undefined, usual: number) => (size === undefined ? usual : size * 1024 ** 2)
  return {
    memoryBytes: megabytes(set.memory_mb, defaultLimits.memoryBytes),
    memoryLeft: defaultLimits.memoryLeft,
    processes: set.processes ?? defaultLimits.processes,
    openFiles: set.open_files ?? defaultLimits.openFiles,
    cpuSeconds: set.cpu_seconds ?? defaultLimits.cpuSeconds,
    disk: { ...defaultLimits.disk, taken: megabytes(set.disk_mb, defaultLimits.disk.taken) },
  }
}

export const bytesOfGigabyte = 1e9

function agentSettings(settings: Settings, environment: EnvironmentSettings): AgentSettings {
  return {
    systemPrompt: settings.system_prompt ?? null,
    maxIterations: settings.max_iterations ?? 100,
    maxSubagentIterations: settings.max_iterations ?? 50,
    maxSubagentDepth: settings.max_subagent_depth ?? 1,
    batchConcurrency: settings.batch_concurrency ?? 10,
    mostProcesses: settings.processes?.max ?? 32,
    maxTokens: settings.max_tokens ?? 32_000,
    fetchesPages: settings.web?.fetch ?? false,
    userMemory: settings.memory?.user ?? true,
    goal: goalFrom(settings.goal),
    tuning: tuningFrom(settings),
    effort: settings.effort ?? null,
    usualModel: settings.model ?? usualModel(settings),
    subagentModel: settings.subagent_model ?? null,
    summaryModel: settings.summary_model ?? null,
    fallback: settings.fallback ?? [],
    budgets: budgetsOf(settings.budgets),
    unknownPrice: settings.unknown_price ?? defaultUnknownPrice,
    quarantine: environment.quarantine ?? settings.quarantine?.mode ?? 'strict',
    quarantineInherited: environment.quarantineInherited ?? settings.quarantine?.inherit ?? true,
    policy: {
      interruptOn: new Map(Object.entries(settings.interrupt_on ?? {})),
      rules: withMemoryRules({ ...noRules, ...settings.permissions }, settings),
    },
    gateProblems: [],
    resultTokens: settings.eviction?.tokens ?? defaultResultTokens,
    summarisation: {
      tokens: settings.summarisation?.tokens ?? defaultSummarisation.tokens,
      share: settings.summarisation?.share ?? defaultSummarisation.share,
    },
    retry: {
      attempts: settings.retry?.attempts ?? defaultRetry.attempts,
      baseDelayMs: settings.retry?.base_delay_ms ?? defaultRetry.baseDelayMs,
      maxDelayMs: settings.retry?.max_delay_ms ?? defaultRetry.maxDelayMs,
    },
    runner: {
      ...defaultRunnerLimits,
      timeoutMs: environment.runnerTimeoutMs ?? settings.runner?.timeout_ms ?? defaultRunnerLimits.timeoutMs,
      memoryMb: environment.runnerMemoryMb ?? settings.runner?.memory_mb ?? defaultRunnerLimits.memoryMb,
    },
  }
}

function budgetsOf(given: Settings['budgets']): Budgets {
  return {
    run: budgetOf(given?.run, defaultBudgets.run),
    thread: budgetOf(given?.thread, defaultBudgets.thread),
    batch: budgetOf(given?.batch, defaultBudgets.batch),
    subagent: budgetOf(given?.subagent, defaultBudgets.subagent),
  }
}

/** A missing key keeps the default. Null removes the limit. */
function budgetOf(given: NonNullable<Settings['budgets']>['run'], otherwise: Budget): Budget {
  const chosen = <Value>(value: Value | undefined, usual: Value) => (value === undefined ? usual : value)
  return {
    cost: chosen(given?.cost, otherwise.cost),
    tokens: chosen(given?.tokens, otherwise.tokens),
    modelCalls: chosen(given?.model_calls, otherwise.modelCalls),
    minutes: chosen(given?.minutes, otherwise.minutes),
  }
}
