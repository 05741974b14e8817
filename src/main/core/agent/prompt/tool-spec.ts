import { type ZodType, z } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import type { ToolSpec } from '../../ports/model-client.ts'
import type { Tool } from '../../tools/tool.ts'

/** A tool as a model is shown it. */
export function toolSpec({ name, description, inputSchema, schema }: Tool): ToolSpec {
  return { name, description, inputSchema: inputSchema ?? jsonSchemaOf(schema) }
}

/** Each schema is converted once; its JSON is the same for every thread of a batch. */
const jsonSchemas = new WeakMap<ZodType, JsonObject>()

function jsonSchemaOf(schema: ZodType): JsonObject {
  const known = jsonSchemas.get(schema)
  if (known) return known
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject
  jsonSchemas.set(schema, made)
  return made
}
