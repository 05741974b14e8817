import { z } from 'zod'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import { decision } from '#shared/model/entry-parts.ts'

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
