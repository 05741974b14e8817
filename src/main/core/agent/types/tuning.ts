import type { ProgramMoment, StageName } from '#shared/model/settings.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import { stricterMode } from '../../approval/policy.ts'

/** A built-in stage as a person set it. Null leaves a value as it is. */
export interface Stage {
  readonly name: StageName
  /** Null for a stage that is only moved. */
  readonly enabled: boolean | null
  /** `summary`: summarises at this many tokens. `eviction`: a longer result goes to a file. */
  readonly tokens: number | null
  /** `summary`: the part of the model's window that may be filled, between 0 and 1. */
  readonly share: number | null
  /** `approvals`: the most permissive mode of the agent. */
  readonly mode: ApprovalMode | null
}

/** A stage that is a program of the user, which reads and writes lines of JSON. */
export interface ProgramStage {
  /** For people, in errors. */
  readonly name: string
  readonly command: readonly string[]
  readonly on: readonly ProgramMoment[]
  /** For one answer. */
  readonly timeoutMs: number
}

/** A question and its answer, shown to the agent before it works. */
export interface PromptExample {
  readonly input: string
  readonly output: string
}

/** What a person sets about an agent besides its role, tools and model. Null and empty leave things as they are. */
export interface AgentTuning {
  /** Replaces the role, but not the sentences about the overlay. */
  readonly instructions: string | null
  /** The wording of a subagent's task; `{task}` stands for the task. */
  readonly promptTemplate: string | null
  readonly examples: readonly PromptExample[]
  /** Comes after everything else in the prompt. */
  readonly finalInstructions: string | null
  /** Descriptions that replace those of tools, by the tool's name. */
  readonly toolDescriptions: ReadonlyMap<string, string>
  readonly temperature: number | null
  readonly topP: number | null
  readonly topK: number | null
  /** In the order that a person chose. Stages that are missing keep their place and are on. */
  readonly stages: readonly Stage[]
  readonly programs: readonly ProgramStage[]
}

export const noTuning: AgentTuning = {
  instructions: null,
  promptTemplate: null,
  examples: [],
  finalInstructions: null,
  toolDescriptions: new Map(),
  temperature: null,
  topP: null,
  topK: null,
  stages: [],
  programs: [],
}

/** The settings for all agents with those of one definition, which win. */
export function mergeTuning(settings: AgentTuning, own: AgentTuning): AgentTuning {
  const ownStages = new Set(own.stages.map(({ name }) => name))
  const others = new Map(settings.stages.map((stage) => [stage.name, stage]))
  return {
    instructions: own.instructions ?? settings.instructions,
    promptTemplate: own.promptTemplate ?? settings.promptTemplate,
    examples: own.examples.length > 0 ? own.examples : settings.examples,
    finalInstructions: own.finalInstructions ?? settings.finalInstructions,
    toolDescriptions: new Map([...settings.toolDescriptions, ...own.toolDescriptions]),
    temperature: own.temperature ?? settings.temperature,
    topP: own.topP ?? settings.topP,
    topK: own.topK ?? settings.topK,
    stages: [
      ...own.stages.map((stage) => mergeStage(others.get(stage.name), stage)),
      ...settings.stages.filter(({ name }) => !ownStages.has(name)),
    ],
    programs: [...settings.programs, ...own.programs],
  }
}

/** Values that a definition leaves open stay as in the settings. The stricter mode counts. */
function mergeStage(settings: Stage | undefined, own: Stage): Stage {
  if (!settings) return own
  const mode = own.mode === null ? settings.mode : stricterMode(own.mode, settings.mode ?? undefined)
  return {
    name: own.name,
    enabled: own.enabled ?? settings.enabled,
    tokens: own.tokens ?? settings.tokens,
    share: own.share ?? settings.share,
    mode,
  }
}

/** A stage as it was set; undefined when nobody set it. */
export function findStage({ stages }: AgentTuning, name: StageName): Stage | undefined {
  return stages.find((stage) => stage.name === name)
}

/** True unless somebody switched the stage off. */
export function isOn(tuning: AgentTuning, name: StageName): boolean {
  return findStage(tuning, name)?.enabled ?? true
}
