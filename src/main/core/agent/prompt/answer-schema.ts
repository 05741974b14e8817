import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ProjectServices } from '../types/services.ts'

type Place = Pick<ProjectServices, 'log' | 'scratch' | 'prefixes'>

/** Where earlier versions stored the schema of a thread's answer. */
export function answerSchemaFile({ prefixes }: Pick<ProjectServices, 'prefixes'>): string {
  return `${prefixes['/inputs/']}output-schema.json`
}

/** The JSON Schema that the thread's final answer must fit; null when it has none. */
export function answerSchemaOf(services: Place, threadId: ThreadId): JsonObject | null {
  const stored = services.log.state.threads.get(threadId)?.answerSchema
  if (stored) return stored
  const kept = services.scratch.read(threadId, answerSchemaFile(services))
  const schema: unknown = kept && JSON.parse(new TextDecoder().decode(kept))
  return isJsonObject(schema) ? schema : null
}
