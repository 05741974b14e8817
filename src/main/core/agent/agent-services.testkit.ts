import { type BaseFixture, createMemoryBaseTree, createMemoryBlobStore, type MemoryBaseTree } from '#overlay'
import { testHashing, testTextMerge } from '#overlay/testkit'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import type { CheckDefinition } from '#shared/model/check.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { LiveEvent } from '#shared/model/event.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { promptFileAccess } from '../approval/file-policy.ts'
import { noRules } from '../approval/rules.ts'
import { createProjectChecks } from '../checks/project-checks.ts'
import { commitAlways, openProjectLog } from '../journal/project-log.ts'
import { createUserMemoryDelivery } from '../journal/user-memory-delivery.ts'
import { createMemoryBranchMounts } from '../ports/branch-mounts.testkit.ts'
import { createMemoryCodeRunner } from '../ports/code-runner.testkit.ts'
import { defaultRunnerLimits } from '../ports/code-runner.ts'
import { createMemoryJournal } from '../ports/journal.testkit.ts'
import type { Journal } from '../ports/journal.ts'
import { createMachine } from '../ports/machine.testkit.ts'
import type { Program } from '../ports/machine-programs.testkit.ts'
import { createScriptedModel, type ModelScript, type ScriptedModel } from '../ports/model-client.testkit.ts'
import type { ModelClient } from '../ports/model-client.ts'
import type { PageReader } from '../ports/page-reader.ts'
import { ExternalAgentError } from '../ports/programs/external-agent.ts'
import { JsonProgramError, type JsonPrograms } from '../ports/programs/json-programs.ts'
import { createMemorySearch } from '../ports/search.testkit.ts'
import { createMemoryShell } from '../ports/shell.testkit.ts'
import type { SandboxState } from '../ports/shell.ts'
import { createMemoryScratchStore } from '../ports/stores/scratch-store.testkit.ts'
import { createMemoryUserMemories } from '../ports/stores/user-memories.testkit.ts'
import type { UserMemoryStore } from '../ports/stores/user-memories.ts'
import type { Watcher } from '../ports/watcher.ts'
import type { Instructions } from '../prompts/appendices.ts'
import { noSetup } from '../setup/project-setup.ts'
import { choosePrefixes } from '../tools/namespace/prefixes.ts'
import { builtInRoutes } from '../tools/namespace/routes.ts'
import { defaultResultTokens } from './context/eviction.ts'
import { createDriftWatch } from './drift/drift-watch.ts'
import { createModelGate } from './model/model-gate.ts'
import { type ExtensionSource, type Extensions, type HookList, noExtensions, noHooks } from './types/extensions.ts'
import type { AgentServices } from './types/services.ts'
import {
  type AgentSettings,
  defaultBudgets,
  defaultRetry,
  defaultSummarisation,
  defaultUnknownPrice,
} from './types/settings.ts'
import { noTuning } from './types/tuning.ts'

const noPrograms: JsonPrograms = {
  ask: () => Promise.reject(new JsonProgramError('There are no programs here.')),
  post: () => Promise.reject(new JsonProgramError('There are no servers here.')),
  [Symbol.asyncDispose]: async () => {},
}

/** A web without a page. */
const noPages: PageReader = { read: async () => ({ kind: 'failed', message: 'There is no network here.' }) }

/** The settings of a fresh installation. */
export const testSettings: AgentSettings = {
  systemPrompt: null,
  fetchesPages: false,
  maxIterations: 100,
  maxSubagentIterations: 50,
  maxSubagentDepth: 1,
  batchConcurrency: 10,
  mostProcesses: 32,
  maxTokens: 32_000,
  tuning: noTuning,
  effort: null,
  usualModel: 'usual',
  subagentModel: null,
  summaryModel: null,
  fallback: [],
  unknownPrice: defaultUnknownPrice,
  budgets: defaultBudgets,
  quarantine: 'strict',
  quarantineInherited: true,
  gateProblems: [],
  // Commands ask before they run. Tests of commands that are tried set this themselves.
  policy: { interruptOn: new Map(), rules: noRules, commands: 'before' },
  userMemory: true,
  goal: null,
  summarisation: defaultSummarisation,
  resultTokens: defaultResultTokens,
  retry: defaultRetry,
  runner: defaultRunnerLimits,
}

/** A clock that stands still until a test moves it. A wait ends at once and moves it. */
export interface TestClock {
  now(): number
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
  advance(milliseconds: number): void
  /** Milliseconds of every wait so far. */
  readonly slept: readonly number[]
}

export interface ServicesOptions {
  readonly files?: Readonly<Record<string, BaseFixture>>
  readonly script?: ModelScript
  /** Answers instead of the script. */
  readonly client?: ModelClient
  readonly settings?: Partial<AgentSettings>
  readonly extensions?: Partial<Extensions>
  /** The instructions of folders, by folder. */
  readonly folderInstructions?: Readonly<Record<string, string>>
  /** Size of the model's window, in tokens. */
  readonly contextWindow?: number
  /** Most model calls at the same time. */
  readonly modelCalls?: number
  /** US dollars that a small task costs; null when the price is unknown. */
  readonly usualCost?: number | null
  readonly costOf?: AgentServices['costOf']
  readonly sandbox?: SandboxState
  /** Programs on the machine, in addition to the standard ones. */
  readonly programs?: Readonly<Record<string, Program>>
  /** The most bytes that a command may leave in ignored files. */
  readonly layerRoom?: number
  /** What the last commit has, by path. */
  readonly committed?: Readonly<Record<string, string>>
  /** The checks of the project. What a definition leaves out is usual. */
  readonly checks?: readonly (Partial<CheckDefinition> & Pick<CheckDefinition, 'name' | 'run'>)[]
  /** What a stage of the user's own programs answers; it may do something else first. Absent for no programs. */
  readonly askProgram?: JsonPrograms['ask']
  readonly hooks?: Partial<HookList>
  /** What can be read of the web. Absent for nothing. */
  readonly pages?: PageReader
  /** Files that a scan of contents has no time for. */
  readonly unsearched?: readonly VirtualPath[]
}

/** What survives when the app is closed: the disk and the store. */
export interface Stored {
  readonly base: MemoryBaseTree
  readonly journal: Journal
  readonly blobs: ReturnType<typeof createMemoryBlobStore>
  readonly scratch: ReturnType<typeof createMemoryScratchStore>
  readonly userMemories: UserMemoryStore
  readonly clock: TestClock
  readonly nextId: () => string
}

/** The services of one open project, with ways for a test to steer and inspect them. */
export interface TestServices extends AgentServices {
  readonly userMemories: UserMemoryStore
  readonly base: MemoryBaseTree
  readonly clock: TestClock
  readonly model: ScriptedModel
  readonly live: readonly LiveEvent[]
  /** Takes effect with the next run. */
  change(settings: Partial<AgentSettings>): void
  extend(extensions: Partial<Extensions>): void
  /** Has something hear of every entry from now on. */
  hear(hearer: (entry: Entry) => void): void
  /** Changes the disk as a person would, and notifies the watcher. Null deletes. */
  onDisk(path: string, content: BaseFixture | null): void
}

const testProject = { id: 'project' as ProjectId, name: 'project' }
const noon = 1_700_000_000_000

export function createStore(files: Readonly<Record<string, BaseFixture>> = {}): Stored {
  let time = noon
  let id = 0
  const slept: number[] = []
  const clock: TestClock = {
    now: () => time,
    slept,
    advance(milliseconds) {
      time += milliseconds
    },
    async sleep(milliseconds, signal) {
      signal.throwIfAborted()
      slept.push(milliseconds)
      time += milliseconds
    },
  }
  return {
    base: createMemoryBaseTree(files),
    journal: createMemoryJournal(clock.now),
    blobs: createMemoryBlobStore(testHashing),
    scratch: createMemoryScratchStore(clock.now),
    userMemories: createMemoryUserMemories(),
    clock,
    nextId() {
      id += 1
      return `id-${id}`
    },
  }
}

/**
 * Everything that the agents of one project need, in memory: fakes that pass the contract suites, and the core's own
 * parts. There are no servers and no windows. Scratch files exist at once instead of with the next entry.
 */
export async function createTestServices(stored: Stored, options: ServicesOptions): Promise<TestServices> {
  const { base, blobs, scratch, clock } = stored
  const machine = createMachine()
  const prefixes = await choosePrefixes(base)
  const routes = builtInRoutes(prefixes)
  const model = createScriptedModel(options.script ?? (() => ({ text: 'Done.' })))
  const live: LiveEvent[] = []
  const hearers = new Set<(entry: Entry) => void>()
  const listeners = new Set<(path: VirtualPath) => void>()
  let settings: AgentSettings = { ...testSettings, ...options.settings }
  const gate = createModelGate(options.modelCalls ?? 10)
  let extensions: Extensions = { ...noExtensions, ...options.extensions }
  const delivery = createUserMemoryDelivery(stored.userMemories, testProject, (error) => {
    throw error
  })
  const log = openProjectLog(stored.journal, (entry) => {
    delivery.take(entry)
    drift.take(entry)
    for (const hear of hearers) hear(entry)
  })
  delivery.catchUp(log)
  const announce = (event: LiveEvent) => void live.push(event)
  const watcher: Watcher = {
    watch: () => {},
    onChange(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    [Symbol.dispose]: () => listeners.clear(),
  }
  const drift = createDriftWatch({
    log,
    base,
    routes,
    hashing: testHashing,
    watcher,
    announce: (threadId, event) => announce({ ...event, threadId, at: clock.now(), sequence: log.state.sequence }),
    onProblem(error) {
      throw error
    },
  })
  const search = createMemorySearch(base, options.unsearched)
  const mounts = createMemoryBranchMounts(machine, base, {
    ...(options.layerRoom !== undefined && { room: options.layerRoom }),
    ...(options.committed && { committed: new Map(Object.entries(options.committed)) }),
  })
  const shell = createMemoryShell({
    machine,
    ...(options.sandbox && { sandbox: options.sandbox }),
    ...(options.programs && { programs: options.programs }),
  })
  const checks = createProjectChecks({
    ...{
      base,
      blobs,
      log,
      search,
      mounts,
      shell,
      clock,
      announce,
      foldersBeside: [],
      hashing: testHashing,
      setup: noSetup,
      limit: 2,
    },
    ids: { next: stored.nextId },
    access: () => promptFileAccess(settings.policy),
    definitions: () => (options.checks ?? []).map((one) => ({ ...testCheck, ...one })),
    hosts: () => [],
    record(branchId, on, result) {
      const threadId = log.state.branches.get(branchId)?.threadId
      if (threadId) commitAlways(log, [{ type: 'check.finished', threadId, branchId, on, result }])
    },
  })
  return {
    pages: options.pages ?? noPages,
    agentModels: { keepOffered: () => {}, keepCommands: () => {}, commandsOf: () => [], keepWindow: () => {} },
    ...{
      log,
      base,
      blobs,
      scratch,
      clock,
      prefixes,
      routes,
      foldersBeside: [],
      drift,
      model,
      live,
      announce,
      search,
      mounts,
      shell,
      checks,
    },
    userMemories: stored.userMemories,
    place: { name: 'project', folder: '/home/user/project', others: [] },
    hashing: testHashing,
    textMerge: testTextMerge,
    runner: createMemoryCodeRunner(machine),
    setup: noSetup,
    externalAgents: {
      connect: async () => {
        throw new ExternalAgentError('failed', 'There is no agent here.')
      },
    },
    toolServer: { serve: ({ close }) => close() },
    hooks: { ...noHooks, ...options.hooks },
    programs: options.askProgram ? { ...noPrograms, ask: options.askProgram } : noPrograms,
    // Only profiles whose models begin with `maker:` have families.
    newestOf: (family, besides) => (besides?.startsWith('maker:') ? `maker:${family}` : null),
    resolveModel: (name) => (name.startsWith('away:') ? failure(`${name} is away`) : success(name)),
    modelFor: () => options.client ?? model,
    contextWindow: async () => options.contextWindow ?? 200_000,
    usualCost: () => options.usualCost ?? null,
    costOf: options.costOf ?? (() => 0),
    gateFor: () => gate,
    leftOutSampling: (name) => (name.startsWith('plain:') ? ['top_p', 'top_k'] : []),
    readAnswer: readTestAnswer,
    ids: { next: stored.nextId },
    random: () => 0,
    settings: () => settings,
    extensions: extensionSource(() => extensions, options.folderInstructions ?? {}),
    change(next) {
      settings = { ...settings, ...next }
    },
    extend(next) {
      extensions = { ...extensions, ...next }
    },
    hear: (hearer) => void hearers.add(hearer),
    onDisk(path, content) {
      if (content === null) base.remove(path)
      else base.set(path, content)
      for (const listener of listeners) listener(path as VirtualPath)
    },
  }
}

/** Only asks for the fields that a schema requires. */
function readTestAnswer({ required }: JsonObject, answer: string): Result<string, string> {
  try {
    const value: JsonValue = JSON.parse(answer)
    const missing = Array.isArray(required)
      ? required.find((key) => !isJsonObject(value) || !(String(key) in value))
      : undefined
    return missing === undefined ? success(answer) : failure(`${String(missing)} is missing`)
  } catch {
    return failure('it is not JSON')
  }
}

const testCheck: Omit<CheckDefinition, 'name' | 'run'> = {
  paths: [],
  timeoutSeconds: 60,
  on: ['branch', 'merge'],
  required: true,
}

function extensionSource(current: () => Extensions, folders: Readonly<Record<string, string>>): ExtensionSource {
  return {
    current,
    reload: async () => current(),
    refresh: async () => current(),
    instructionsAt: async (path) =>
      Object.entries(folders).flatMap(([folder, text]): Instructions[] =>
        path.startsWith(`${folder}/`) ? [{ file: `${folder}/AGENTS.md`, text }] : [],
      ),
  }
}
