import { z } from 'zod'
import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import { schemaLimit } from '#shared/base/schemas/schema-limits.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { jsonLimit } from '#shared/text/text-limits.ts'
import { withinTime } from './within-time.ts'

/** Returns a schema that answers can be checked with. Throws `BAD_REQUEST` for any other value. */
export function usableSchema(jsonSchema: JsonValue): JsonObject {
  toSchema(jsonSchema)
  return jsonSchema as JsonObject
}

function toSchema(jsonSchema: unknown): z.ZodType {
  if (typeof jsonSchema !== 'object' || jsonSchema === null || Array.isArray(jsonSchema))
    throw new WireError('BAD_REQUEST', 'The output schema cannot be used: it is not a JSON object.')
  const limit = schemaLimit(jsonSchema as JsonObject)
  if (limit !== undefined) throw new WireError('BAD_REQUEST', `The output schema cannot be used: ${limit}.`)
  try {
    return z.fromJSONSchema(jsonSchema as Parameters<typeof z.fromJSONSchema>[0])
  } catch (error) {
    throw new WireError(
      'BAD_REQUEST',
      `The output schema cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** The JSON of an answer that fits, or what is wrong with the answer. */
export function readAnswer(jsonSchema: JsonObject, answer: string): Result<string, string> {
  const schema = toSchema(jsonSchema)
  const fenced = [...answer.matchAll(/^```[\w-]*\n([\s\S]*?)^```/gm)].map(([, text = '']) => text.trim())
  const read = [answer.trim(), ...fenced.reverse()].map((text) => ({ text, problem: problemIn(schema, text) }))
  const fitting = read.find(({ problem }) => problem === undefined)
  if (fitting) return success(fitting.text)
  // A fence that holds JSON says more about what is wrong than the prose around it.
  return failure(read.at(fenced.length > 0 ? 1 : 0)?.problem ?? 'it is empty')
}

/** Characters of an answer that is checked, and how long that may take. */
const answerLimits = { length: 4 * 1024 * 1024, milliseconds: 2_000 } as const

function problemIn(schema: z.ZodType, text: string): string | undefined {
  const limit = jsonLimit(text, answerLimits.length)
  if (limit !== undefined) return limit
  try {
    // A pattern in the schema may have endless ways to fit the text.
    const checked = withinTime(answerLimits.milliseconds, () => schema.safeParse(JSON.parse(text)))
    if (checked === undefined) return 'checking it takes too long; simplify the patterns of the schema'
    const { error } = checked.value
    return error?.issues.map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`).join('; ')
  } catch (error) {
    return `it is not JSON (${error instanceof Error ? error.message : String(error)})`
  }
}
