import type { GivenTuning } from '#adapters/settings/tuning-schema.ts'
import { type AgentTuning, noTuning, type ProgramStage, type Stage } from '#core/agent/types/tuning.ts'

type GivenProgram = Extract<NonNullable<GivenTuning['middleware']>[number], { readonly command: unknown }>

/** Reads the keys that tune an agent. A missing key changes nothing. */
export function tuningFrom(given: GivenTuning): AgentTuning {
  const stages = given.middleware ?? []
  return {
    ...noTuning,
    instructions: given.instructions ?? null,
    promptTemplate: given.prompt_template ?? null,
    examples: given.examples ?? [],
    finalInstructions: given.final_instructions ?? null,
    toolDescriptions: new Map(Object.entries(given.custom_tool_descriptions ?? {})),
    temperature: given.temperature ?? null,
    topP: given.top_p ?? null,
    topK: given.top_k ?? null,
    stages: stages.flatMap((one): readonly Stage[] => {
      if (typeof one === 'string') return [{ ...unset, name: one }]
      if (!('stage' in one)) return []
      const { stage, enabled = null, tokens = null, share = null, mode = null } = one
      return [{ name: stage, enabled, tokens, share, mode }]
    }),
    programs: stages.flatMap((one) => (typeof one === 'object' && 'command' in one ? [programFrom(one)] : [])),
  }
}

const unset = { enabled: null, tokens: null, share: null, mode: null }

function programFrom({ command, name, on, timeout_ms }: GivenProgram): ProgramStage {
  // A single text is a command line for the shell.
  const parts = typeof command === 'string' ? ['/bin/sh', '-c', command] : command
  return {
    name: name ?? String(typeof command === 'string' ? command : command[0]),
    command: parts,
    on,
    timeoutMs: timeout_ms,
  }
}
