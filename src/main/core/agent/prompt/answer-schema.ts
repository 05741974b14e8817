import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ProjectServices } from '../types/services.ts'

type Place = Pick<ProjectServices, 'scratch' | 'prefixes'>

/** Where the schema of a thread's answer lies, among its inputs, so that it survives a restart. */
export function answerSchemaFile({ prefixes }: Pick<ProjectServices, 'prefixes'>): string {
  return `${prefixes['/inputs/']}output-schema.json`
}

/** The JSON Schema that the thread's final answer must fit; null when its last task had none. */
export function answerSchemaOf(services: Place, threadId: ThreadId): JsonObject | null {
  const kept = services.scratch.read(threadId, answerSchemaFile(services))
  const schema: unknown = kept && JSON.parse(new TextDecoder().decode(kept))
  return isJsonObject(schema) ? schema : null
}
