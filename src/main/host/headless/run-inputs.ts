import { z } from 'zod'
import type { JsonValue } from '#shared/base/json.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { decision } from '#shared/model/entry-parts.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { Decision } from '#shared/model/interrupt.ts'
import type { Project } from '../composition/project.ts'

const maxFields = 50
const maxPreview = 200

/**
 * Stores data of `--input` as `/inputs/input.json`. Returns a text for the model with its shape and size, not all of
 * it.
 */
export function storeInput({ services }: Project, threadId: ThreadId, input: JsonValue): string {
  const name = `${services.prefixes['/inputs/']}input.json`
  const text = JSON.stringify(input, null, 2)
  services.scratch.write(threadId, name, new TextEncoder().encode(text))
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [['(value)', input] as const]
  const lines = fields.slice(0, maxFields).map(([key, value]) => `- ${key}: ${preview(JSON.stringify(value))}`)
  const more = fields.length > maxFields ? `\n- and ${fields.length - maxFields} more` : ''
  return `\n\nInput data is in ${name} (${text.length} characters). Fields:\n${lines.join('\n')}${more}`
}

function preview(json: string): string {
  return json.length > maxPreview ? `${json.slice(0, maxPreview)}… (${json.length} characters)` : json
}

const decisions = z.array(decision)

/** Reads `[{"callId", "type", "args"?, "message"?}]`. Throws a refusal that names each invalid value and its place. */
export function readDecisions(text: string): readonly Decision[] {
  const parsed = decisions.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'file'}: ${message}`)
  throw new WireError('BAD_REQUEST', `The decisions file is wrong: ${problems.join('; ')}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new WireError(
      'BAD_REQUEST',
      `The decisions file is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
