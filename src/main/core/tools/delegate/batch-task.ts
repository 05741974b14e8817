import { z } from 'zod'
import { batchTasks } from '#shared/model/derived/batch.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { fileTool, pathArgument, plural } from '../files/file-tool.ts'
import { failedOutput, jsonOutput, type Tool, type ToolOutput, textOutput } from '../tool.ts'
import { type DeclaredTask, declaredTask, maxTasks, readTasks } from './declared-tasks.ts'
import type { Batches, Subagents } from './delegation.ts'
import { describeTypes } from './subagent-tools.ts'

export const schema = z
  .object({
    tasks: z
      .array(z.union([z.string().min(1), declaredTask]))
      .max(maxTasks)
      .optional()
      .describe('One entry per task: its text, or an object with description, id, type.'),
    tasks_file: pathArgument.optional().describe('A file with one such object as JSON per line, in place of tasks.'),
  })
  .refine(({ tasks, tasks_file }) => (tasks === undefined) !== (tasks_file === undefined), {
    message: 'Give either tasks or tasks_file.',
  })
type Arguments = z.infer<typeof schema>

const stoppedByUser =
  'The user stopped this batch. What is done stays on its branches. Do not start the other tasks again unless the user asks for it.'

/** Above this many tasks a person is asked. */
const freeTasks = 20

/**
 * `batch_task`: runs many independent tasks with a few subagents at a time. Results go to files, and a short summary to
 * the model.
 */
export function createBatchTaskTool(types: Subagents['types'], batches: Batches): Tool<Arguments> {
  return fileTool({
    ...toolFacts.batch_task,
    description: `Runs many independent tasks of one kind, each by a subagent on its own private fork of your files, a few at a time, and waits for all. Use it above a handful of tasks; the user approves more than ${freeTasks}. You get counts and the paths of result files: results.jsonl has one line per task, in order, with its status, result, handle and diff; failures.jsonl those that did not end well. Nothing is merged: use merge_subagent with a list of handles. ${describeTypes(types)}`,
    schema,
    mustAsk({ tasks = [] }, threadId) {
      const { tasks: before, isRefused } = batches.awaitedBefore(threadId)
      // Code may ask for more of what a person has just refused.
      if (!isRefused && questionsUpTo(before + tasks.length) <= questionsUpTo(before)) return undefined
      return `${askWhy(tasks, batches.estimate(threadId, tasks.length))}${before === 0 ? '' : `, after ${before} that the same code has waited for`}`
    },
    async run({ tasks, tasks_file }, { threadId, callId, files, signal }) {
      const given = tasks ?? (tasks_file === undefined ? [] : readTasks(await files.read(tasks_file)))
      if (typeof given === 'string') return failedOutput(`${tasks_file}: ${given}`)
      if (given.length === 0) return failedOutput('The list of tasks is empty. Give at least one task.')
      // The file could change between a person's approval and the run, so its tasks become a call of their own.
      if (tasks === undefined)
        return {
          ...textOutput(`Read ${given.length} tasks.`),
          declares: given.map((task) => ({ ...(task as DeclaredTask) })),
        }
      if (batches.awaitedBefore(threadId).tasks + given.length > maxTasks)
        return failedOutput(`Code cannot wait for more than ${maxTasks} tasks.`)
      const call = { threadId, callId }
      const summary = await batches.run(call, signal)
      const output: ToolOutput = summary.stopped_by_user
        ? { ...failedOutput(`${stoppedByUser}\n${JSON.stringify(summary)}`), stopped: true }
        : jsonOutput(summary)
      const results = await batches.resultsForCode(call, summary.stopped_by_user ? 'cancelled' : 'skipped')
      const forCode = results ? [{ type: 'text', text: JSON.stringify(results) } as const] : []
      return { ...output, content: [...output.content, ...forCode] }
    },
  })
}

/** How often a person was asked when so many tasks were given. Code is asked about again after as many as are free. */
function questionsUpTo(tasks: number): number {
  return Math.floor(Math.max(tasks - 1, 0) / freeTasks)
}

function askWhy(tasks: readonly (string | DeclaredTask)[], cost: number | null): string {
  const counts = Object.entries(
    Object.groupBy(
      batchTasks({ tasks: tasks.map((task) => (typeof task === 'string' ? task : { ...task })) }),
      ({ type }) => type,
    ),
  )
  const types = counts.map(([type, of = []]) => `${of.length} × ${type}`).join(', ')
  const price = cost === null ? 'what it will cost is not known' : `about $${cost.toFixed(2)}`
  return `a batch of ${plural(tasks.length, 'task')} (${types}), ${price}`
}
