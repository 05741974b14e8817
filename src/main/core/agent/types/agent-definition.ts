import type { JsonObject } from '#shared/base/json.ts'
import type { Goal } from '#shared/model/check.ts'
import { defaultType } from '#shared/model/derived/batch.ts'
import type { Effort } from '#shared/model/models/model-facts.ts'
import type { ContextScope } from '#shared/model/thread.ts'
import type { InterruptSettings } from '../../approval/interrupt-settings.ts'
import type { ShellGrants } from '../../ports/shell.ts'
import { type AgentTuning, noTuning } from './tuning.ts'

/**
 * What of the parent's conversation a subagent sees: nothing, a summary of the state, all of it, its last message, or
 * all texts without calls and their results.
 */
export const inputFilters = ['strict', 'scoped', 'off', 'last_message', 'no_tools'] as const
export type InputFilter = (typeof inputFilters)[number]

/**
 * What the parent reads as a subagent's result: only that it is done, a summary of its state, everything it did, its
 * last message, or all its texts.
 */
export const outputFilters = inputFilters
export type OutputFilter = InputFilter

/** An agent that is a command in a mount of its branch, or a server. Both read and write lines of JSON. */
export type JsonProgram =
  | { readonly kind: 'command'; readonly command: string; readonly hosts: readonly string[] }
  | { readonly kind: 'url'; readonly url: string }

/** What answers in place of a model. */
export type AgentProgram = JsonProgram | ExternalProgram

/** An external agent that speaks the Agent Client Protocol, and all that it may have beside its branch. */
export interface ExternalProgram {
  readonly kind: 'acp'
  readonly command: string
  /** In which of its own modes it works, by the agent's id or name for it. Null for the one that fits the thread's mode. */
  readonly mode: string | null
  readonly hosts: readonly string[]
  readonly grants: ShellGrants
}

/** A kind of subagent, defined by a person or a project. */
export interface AgentDefinition {
  /** The name that `subagent_type` gives; unique among the definitions. */
  readonly name: string
  /** When to use it; the delegating model reads this. */
  readonly description: string
  /** Replaces the built-in role; null keeps it. */
  readonly prompt: string | null
  /** `handoff`: its own loop, tools and branch. `tool`: a single reply without tools. */
  readonly mode: 'handoff' | 'tool'
  /** How much of the parent's conversation it sees. Null leaves that to the settings. */
  readonly contextScope: ContextScope | null
  /** Whether its task ends with a summary of plan and changes. Null leaves that to its scope. */
  readonly includeStateSummary: boolean | null
  /** Names of its tools; null for all. */
  readonly tools: readonly string[] | null
  /** Names of tools that it does not get; absent for none. */
  readonly withoutTools?: readonly string[]
  /** Null for the model of the agent that starts it. May be the name of a family of models (`modelFamily`). */
  readonly model: string | null
  /** How long its model thinks; null or absent for as the settings say. */
  readonly effort?: Effort | null
  /** Whether a model thinks that can do without; null or absent for the model's own default. */
  readonly thinking?: boolean | null
  /** Overrides the settings of the same name; those of a project can only narrow. */
  readonly interruptOn: InterruptSettings
  /** Who defined it. A project's definition never gives an agent more than the user's settings do. */
  readonly origin: 'built-in' | 'user' | 'project'
  /** What answers in place of a model; null for a model. Only a user's own definition can have one. */
  readonly program: AgentProgram | null
  /** Wins over the settings, key by key. */
  readonly tuning: AgentTuning
  /** Which part of its parent's conversation it sees; null leaves that to its scope. */
  readonly inputFilter: InputFilter | null
  /** Which part of its own conversation its parent reads as the result. */
  readonly outputFilter: OutputFilter
  /** What it must reach before it is done; null or absent for nothing. */
  readonly goal?: Goal | null
  /**
   * True for an agent that continues its parent's conversation under its parent's prompt, tools and model, so that the
   * provider's cache serves the beginning of its requests.
   */
  readonly forks?: boolean
  /** The JSON Schema that its answers must fit; null or absent for answers in words. */
  readonly answerSchema?: JsonObject | null
  /** Where it is defined, for people. */
  readonly source: string
}

/** The type every installation has: the main agent's prompt and tools. */
export const generalPurpose: AgentDefinition = {
  name: defaultType,
  description: 'Any task: it has your prompt and your tools.',
  prompt: null,
  mode: 'handoff',
  contextScope: null,
  includeStateSummary: null,
  tools: null,
  model: null,
  interruptOn: new Map(),
  origin: 'built-in',
  program: null,
  tuning: noTuning,
  inputFilter: null,
  outputFilter: 'last_message',
  source: 'built in',
}

/** The definition of a type. An unknown type becomes general-purpose, so that its thread can continue. */
export function definitionOf(
  { agents }: { readonly agents: readonly AgentDefinition[] },
  type: string,
): AgentDefinition {
  return agents.find(({ name }) => name === type) ?? generalPurpose
}
