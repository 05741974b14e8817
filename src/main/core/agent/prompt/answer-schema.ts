import type { JsonObject } from '#shared/base/json.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ProjectServices } from '../types/services.ts'

/** The JSON Schema that the thread's final answer must fit; null when it has none. */
export function answerSchemaOf({ log }: Pick<ProjectServices, 'log'>, threadId: ThreadId): JsonObject | null {
  return log.state.threads.get(threadId)?.answerSchema ?? null
}
