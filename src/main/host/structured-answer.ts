import { z } from 'zod'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Project } from './project.ts'
import { type RunReport, reportWhenQuiet } from './run-task.ts'

/** What a final answer must look like: the task says it, the answer is checked, and one repair round is given. */
export interface AnswerContract {
  task(text: string): string
  conclude(project: Project, report: RunReport, step: boolean): Promise<RunReport>
}

export function answerContract(jsonSchema: unknown): AnswerContract {
  if (jsonSchema === undefined) return { task: (text) => text, conclude: async (_, report) => report }
  const schema = toSchema(jsonSchema)
  return {
    task: (text) =>
      `${text}\n\nWhen you are done, reply with JSON alone (no prose, no code fence) that fits this JSON Schema:\n${JSON.stringify(jsonSchema)}`,
    async conclude(project, report, step) {
      const problem = problemIn(schema, report)
      if (problem === undefined) return report
      const repair = `Your answer does not fit the schema: ${problem}\nReply again with JSON alone that fits it.`
      project.runtime.send(report.threadId, [{ type: 'text', text: repair }], 'queue', { step })
      const repaired = await reportWhenQuiet(project, report.threadId)
      const still = problemIn(schema, repaired)
      if (still === undefined) return repaired
      return {
        ...repaired,
        status: 'failed',
        reason: 'invalid_answer',
        message: `The answer does not fit the schema: ${still}`,
      }
    },
  }
}

function toSchema(jsonSchema: unknown): z.ZodType {
  try {
    return z.fromJSONSchema(jsonSchema as Parameters<typeof z.fromJSONSchema>[0])
  } catch (error) {
    throw new WireError(
      'BAD_REQUEST',
      `The output schema cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
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
