import type { ModelError } from '#core/ports/model-client.ts'

/** Parts of the protocol that compatible servers may lack. */
export type Extra = 'caching' | 'thinking' | 'effort' | 'format'

/** How a refusal names the part that the server does not know. */
const names: Readonly<Record<Extra, RegExp>> = {
  caching: /cache_control|cache control|prompt caching/i,
  thinking: /\bthinking\b|adaptive/i,
  effort: /output_config(?!\.format)|\beffort\b/i,
  format: /output_config|json_schema|output schema|structured output/i,
}

/** True for a refusal of the schema that an answer must fit. */
export function namesFormat({ code, message }: ModelError): boolean {
  return code === 'bad_request' && names.format.test(message)
}

/**
 * The parts that each server refuses. Learned from its answers, so that nobody maintains a list of servers and
 * versions.
 */
export interface Dialects {
  refusedBy(address: string): ReadonlySet<Extra>
  /** Learns from a refusal. True when it names a part that was sent and can be left out, so a retry makes sense. */
  learn(address: string, refusal: ModelError): boolean
}

export function createDialects(): Dialects {
  const known = new Map<string, ReadonlySet<Extra>>()
  const refusedBy = (address: string): ReadonlySet<Extra> => known.get(address) ?? new Set()
  return {
    refusedBy,
    learn(address, { code, message }) {
      if (code !== 'bad_request') return false
      const refused = refusedBy(address)
      const fresh = (Object.keys(names) as Extra[]).filter((extra) => !refused.has(extra) && names[extra].test(message))
      if (fresh.length === 0) return false
      known.set(address, new Set([...refused, ...fresh]))
      return true
    },
  }
}
