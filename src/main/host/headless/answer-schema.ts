import { readThread } from '#core/journal/read-thread.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { AnswerCheck } from '#shared/contract/views/threads.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { formatAnswerNote } from '#shared/model/messages/message-notes.ts'
import { answerOf } from '#shared/model/thread.ts'
import type { Project } from '../project/project.ts'
import { readAnswer } from './read-answer.ts'
import { type RunReport, reportWhenQuiet } from './run-report.ts'

/** The task with a description of the required final answer. */
export function withAnswerSchema(task: string, schema: JsonObject | null): string {
  return schema === null ? task : `${task}${formatAnswerNote(schema)}`
}

/** The schema that the thread's answers must fit. Undefined when it has none. */
function keptAnswerSchema({ services }: Project, threadId: ThreadId): JsonObject | undefined {
  return readThread(services.log, threadId)?.answerSchema ?? undefined
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
  project.runtime.send(report.threadId, repairRequest(first.error), 'queue', { step })
  const repaired = await reportWhenQuiet(project, report.threadId)
  if (repaired.status !== 'done') return repaired
  const second = readAnswer(schema, repaired.answer)
  if (second.ok) return { ...repaired, answer: second.value }
  const message = `The answer does not fit the schema: ${second.error}`
  return { ...repaired, status: 'failed', reason: 'invalid_answer', message }
}

const repairStart = 'Your answer does not fit the schema: '

function repairRequest(problem: string) {
  return [{ type: 'text', text: `${repairStart}${problem}\nReply again with JSON alone that fits it.` }] as const
}

/** The JSON of one reply, or why it does not fit the thread's schema. Both are null for a thread without a schema. */
export function examineAnswer(project: Project, threadId: ThreadId, answer: string): AnswerCheck {
  const schema = keptAnswerSchema(project, threadId)
  if (schema === undefined) return { json: null, problem: null }
  const read = readAnswer(schema, answer)
  return read.ok ? { json: read.value, problem: null } : { json: null, problem: read.error }
}

/**
 * Gives an agent one chance to repair an answer that does not fit. For a window, in which a person may end a run at any
 * time; a run of the command line checks its answer itself.
 */
export function watchAnswers(project: Project): void {
  project.events.listen((event) => {
    if (event.type !== 'run.ended' || event.status !== 'done') return
    if (problemToRepair(project, event.threadId) === null) return
    // The run that has just ended is still listed as active, and a person may go on with the thread before it is not.
    const repair = async () => {
      await project.runtime.whenIdle(event.threadId)
      const problem = problemToRepair(project, event.threadId)
      if (problem !== null) project.runtime.send(event.threadId, repairRequest(problem), 'queue', repairing)
    }
    // When the project is closed meanwhile, the answer stays as it is, and the window says what is wrong with it.
    repair().catch(() => undefined)
  })
}

/** What is wrong with the answer of a finished run; null for nothing, and after the one repair. */
function problemToRepair(project: Project, threadId: ThreadId): string | null {
  const thread = readThread(project.services.log, threadId)
  if (!thread || thread.parent !== null || thread.status !== 'done') return null
  const asked = thread.messages.findLast(({ role }) => role === 'user')
  if (asked && textOf(asked.content).startsWith(repairStart)) return null
  return examineAnswer(project, threadId, answerOf(thread)).problem
}

const repairing = { step: false, origin: 'notice' } as const
