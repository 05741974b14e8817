import type { JsonObject } from '#shared/base/json.ts'
import type { HookEvent, HookSource } from '#shared/model/calls/hooks.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type KnownServerTools, noServerTools } from '../../approval/tool-names.ts'
import type { HookEnd, HookProgram } from '../../ports/programs/hook-programs.ts'
import type { Instructions, Skill } from '../../prompts/appendices.ts'
import type { Tool } from '../../tools/tool.ts'
import { type AgentDefinition, generalPurpose } from './agent-definition.ts'

/** Additions to the agents by a person, or by a project once it is trusted. */
export interface Extensions {
  /** False while the person has not said that the folder may add anything. */
  readonly isTrusted: boolean
  /** Empty until the project is trusted. */
  readonly instructions: readonly Instructions[]
  /** Skills of the user, and of the project once it is trusted. */
  readonly skills: readonly Skill[]
  /** `general-purpose` first. */
  readonly agents: readonly AgentDefinition[]
  /** Tools of the servers that are connected now. */
  readonly tools: readonly Tool[]
  /** Mistakes in definitions that would let something pass unasked, in sentences for a person. */
  readonly gateProblems: readonly string[]
  /** Definitions that are not used, and keys of others that are not, in sentences for a person. */
  readonly notes: readonly string[]
  /** The names that settings may use for tools of servers. */
  readonly serverTools: KnownServerTools
}

export const noExtensions: Extensions = {
  isTrusted: true,
  instructions: [],
  skills: [],
  agents: [generalPurpose],
  tools: [],
  gateProblems: [],
  notes: [],
  serverTools: noServerTools,
}

export interface ExtensionSource {
  /** The extensions as last loaded; never reads a file. */
  current(): Extensions
  /** Reads definitions and settings of the project again, without waiting for servers. */
  reload(): Promise<Extensions>
  /** Reloads what may have changed, and connects servers. Files that cannot be read are left out and reported to the person. */
  refresh(): Promise<Extensions>
  /** Instructions of the folders above a path, outermost first, without those of the root. */
  instructionsAt(path: VirtualPath): Promise<readonly Instructions[]>
}

/** One hook of a settings file. */
export interface Hook extends HookProgram {
  readonly event: HookEvent
  /** As it is written; null for everything that the event is about. */
  readonly matcher: string | null
  /** A rule: only calls that it fits, or may fit, are asked about. Null for all. */
  readonly condition: string | null
  readonly source: HookSource
  /** The file that it stands in, for people. */
  readonly file: string
  /** True for one that nobody waits for, so that its answer changes nothing. */
  readonly inBackground: boolean
  /** True for one that is asked once in each thread. */
  readonly once: boolean
  /** True for one whose failure counts as a refusal. */
  readonly blocksOnFailure: boolean
  /** Identifies exactly this definition. A changed one has another hash. */
  readonly hash: string
}

/** The hooks of the person and of the project. */
export interface HookList {
  /** Reads the files of the project again. */
  refresh(): Promise<void>
  /** Those that may run now, in the order of their files. Looks at no file of the project. */
  active(): readonly Hook[]
  /** Those of a trusted project that a person has not approved as they are now. */
  waiting(): readonly Hook[]
  /** True when a thread works for the first time since the app was started. */
  begins(threadId: ThreadId): boolean
  /** The threads that worked since then. */
  begun(): readonly ThreadId[]
  /** Runs one of the person's own on the machine. Throws the abort reason alone. */
  run(hook: Hook, message: JsonObject, signal: AbortSignal): Promise<HookEnd>
  /** Keeps what went wrong with a hook last, for the list of hooks. Null when it ran well. */
  report(hook: Hook, problem: string | null): void
}

/** For a project without any. */
export const noHooks: HookList = {
  refresh: async () => {},
  active: () => [],
  waiting: () => [],
  begins: () => false,
  begun: () => [],
  run: () => Promise.reject(new Error('There are no hooks here.')),
  report: () => {},
}
