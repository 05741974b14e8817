import { z } from 'zod'
import { answerSchemaFile, answerSchemaOf } from '#core/agent/prompt/answer-schema.ts'
import type { JsonValue } from '#shared/base/json.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
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
  const name = answerSchemaFile(services)
  if (jsonSchema === undefined) services.scratch.delete(threadId, name)
  else services.scratch.write(threadId, name, new TextEncoder().encode(JSON.stringify(jsonSchema)))
}

/** The schema of the thread's last task. Undefined when it has none. */
function keptAnswerSchema({ services }: Project, threadId: ThreadId): z.ZodType | undefined {
  const schema = answerSchemaOf(services, threadId)
  return schema === null ? undefined : toSchema(schema)
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
 * The report's answer is the JSON alone, also when prose or a code fence stands around it.
 */
export async function checkAnswer(project: Project, report: RunReport, step: boolean): Promise<RunReport> {
  const schema = keptAnswerSchema(project, report.threadId)
  if (schema === undefined || report.status !== 'done') return report
  const first = readAnswer(schema, report.answer)
  if (first.ok) return { ...report, answer: first.value }
  const repair = `Your answer does not fit the schema: ${first.error}\nReply again with JSON alone that fits it.`
  project.runtime.send(report.threadId, [{ type: 'text', text: repair }], 'queue', { step })
  const repaired = await reportWhenQuiet(project, report.threadId)
  if (repaired.status !== 'done') return repaired
  const second = readAnswer(schema, repaired.answer)
  if (second.ok) return { ...repaired, answer: second.value }
  const message = `The answer does not fit the schema: ${second.error}`
  return { ...repaired, status: 'failed', reason: 'invalid_answer', message }
}

/** The JSON of an answer that fits, or what is wrong with the answer. */
function readAnswer(schema: z.ZodType, answer: string): Result<string, string> {
  const fenced = [...answer.matchAll(/^```[\w-]*\n([\s\S]*?)^```/gm)].map(([, text = '']) => text.trim())
  const read = [answer.trim(), ...fenced.reverse()].map((text) => ({ text, problem: problemIn(schema, text) }))
  const fitting = read.find(({ problem }) => problem === undefined)
  if (fitting) return success(fitting.text)
  // A fence that holds JSON says more about what is wrong than the prose around it.
  return failure(read.at(fenced.length > 0 ? 1 : 0)?.problem ?? 'it is empty')
}

function problemIn(schema: z.ZodType, text: string): string | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(text))
    return parsed.success
      ? undefined
      : parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`).join('; ')
  } catch (error) {
    return `it is not JSON (${error instanceof Error ? error.message : String(error)})`
  }
}
