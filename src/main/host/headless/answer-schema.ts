import { z } from 'zod'
import type { JsonValue } from '#shared/base/json.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { Project } from '../composition/project.ts'
import { type RunReport, reportWhenQuiet } from './run-report.ts'

/** The task with a description of the required final answer. Throws `BAD_REQUEST` for an unusable schema. */
export function withAnswerSchema(task: string, jsonSchema: JsonValue | undefined): string {
  if (jsonSchema === undefined) return task
  toSchema(jsonSchema)
  return `${task}\n\nWhen you are done, reply with JSON alone (no prose, no code fence) that fits this JSON Schema:\n${JSON.stringify(jsonSchema)}`
}

/**
 * Stores the schema with the thread, because the answer may come after a resume. A task without a schema removes the
 * last one.
 */
export function keepAnswerSchema({ services }: Project, threadId: ThreadId, jsonSchema: JsonValue | undefined): void {
  const name = schemaName(services)
  if (jsonSchema === undefined) services.scratch.delete(threadId, name)
  else services.scratch.write(threadId, name, new TextEncoder().encode(JSON.stringify(jsonSchema)))
}

/** The schema of the thread's last task. Undefined when it has none. */
function keptAnswerSchema({ services }: Project, threadId: ThreadId): z.ZodType | undefined {
  const kept = services.scratch.read(threadId, schemaName(services))
  return kept && toSchema(JSON.parse(new TextDecoder().decode(kept)))
}

function schemaName({ prefixes }: Project['services']): string {
  return `${prefixes['/inputs/']}output-schema.json`
}

function toSchema(jsonSchema: unknown): z.ZodType {
  if (typeof jsonSchema !== 'object' || jsonSchema === null || Array.isArray(jsonSchema))
    throw new WireError('BAD_REQUEST', 'The output schema cannot be used: it is not a JSON object.')
  try {
    return z.fromJSONSchema(jsonSchema as Parameters<typeof z.fromJSONSchema>[0])
  } catch (error) {
    throw new WireError(
      'BAD_REQUEST',
      `The output schema cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/**
 * Checks the answer of a finished run against the thread's stored schema, and gives the agent one chance to repair it.
 */
export async function checkAnswer(project: Project, report: RunReport, step: boolean): Promise<RunReport> {
  const schema = keptAnswerSchema(project, report.threadId)
  const problem = schema && problemIn(schema, report)
  if (schema === undefined || problem === undefined) return report
  const repair = `Your answer does not fit the schema: ${problem}\nReply again with JSON alone that fits it.`
  project.runtime.send(report.threadId, [{ type: 'text', text: repair }], 'queue', { step })
  const repaired = await reportWhenQuiet(project, report.threadId)
  const still = problemIn(schema, repaired)
  if (still === undefined) return repaired
  const message = `The answer does not fit the schema: ${still}`
  return { ...repaired, status: 'failed', reason: 'invalid_answer', message }
}

function problemIn(schema: z.ZodType, report: RunReport): string | undefined {
  if (report.status !== 'done') return undefined
  try {
    const parsed = schema.safeParse(JSON.parse(report.answer))
    return parsed.success
      ? undefined
      : parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`).join('; ')
  } catch (error) {
    return `it is not JSON (${error instanceof Error ? error.message : String(error)})`
  }
}
