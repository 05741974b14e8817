import { definedToolName } from '#core/approval/tool-names.ts'
import { type Effort, efforts } from '#shared/model/models/model-facts.ts'
import { splitNames } from './agents.ts'
import type { ExtensionProblem } from './front-matter.ts'

/** What a command or a skill says about the run that follows it. */
export interface RunLimits {
  /** Rules for the calls that it is about, under the names of tools here. Null for all calls. */
  readonly allowedTools: readonly string[] | null
  /** As written: a model, or a family of models. Null for the thread's own. */
  readonly model: string | null
  /** Null for the thread's own. */
  readonly effort: Effort | null
}

/** A key whose value cannot be read. */
interface UnusedKey {
  readonly key: string
  readonly because: string
}

/** The keys of a definition that `readLimits` reads. */
export const limitKeys = ['allowed-tools', 'model', 'effort'] as const

/**
 * Reads what a definition says about its run. A limit of tools that cannot be read is a problem of the whole definition,
 * because without it more would be allowed; any other value that cannot be read is left out.
 */
export function readLimits(
  source: string,
  data: Readonly<Record<string, unknown>>,
): { readonly limits: RunLimits; readonly unused: readonly UnusedKey[] } | ExtensionProblem {
  const [tools, model, effort] = [data['allowed-tools'] ?? null, data.model ?? null, data.effort ?? null]
  const names = toolNames(tools)
  if (names === undefined)
    return { file: source, line: null, message: 'allowed-tools: It needs names of tools, as a list or between commas.' }
  const isEffort = (efforts as readonly unknown[]).includes(effort)
  const unused = [
    ...(model === null || typeof model === 'string' ? [] : [{ key: 'model', because: 'it needs the name of a model' }]),
    ...(effort === null || isEffort ? [] : [{ key: 'effort', because: `it is one of ${efforts.join(', ')}` }]),
  ]
  return {
    limits: {
      allowedTools: names,
      model: typeof model !== 'string' || /^(inherit|default)?$/i.test(model.trim()) ? null : model.trim(),
      effort: isEffort ? (effort as Effort) : null,
    },
    unused,
  }
}

/** Rules with the names of tools here. Null when nothing is said, undefined for what is no list of names. */
function toolNames(given: unknown): readonly string[] | null | undefined {
  if (given === null) return null
  const texts = typeof given === 'string' ? [given] : given
  if (!Array.isArray(texts) || !texts.every((one) => typeof one === 'string')) return undefined
  return splitNames(texts.join(',')).map((rule) => {
    const [, name = rule, pattern = ''] = /^([^()]+)(\(.*\))?$/s.exec(rule) ?? []
    return `${definedToolName(name)}${pattern}`
  })
}
