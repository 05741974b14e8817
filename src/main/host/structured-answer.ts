import type { z } from 'zod'
import { keptAnswerSchema } from './answer-schema.ts'
import type { Project } from './project.ts'
import { type RunReport, reportWhenQuiet } from './run-task.ts'

/** Checks the answer of a run that is done against the schema kept with its thread, and gives one round of repair. */
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
