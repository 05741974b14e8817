import { z } from 'zod'
import { failure, type Result, success } from '#shared/base/result.ts'
import type { MergeResult } from '#shared/model/branch.ts'
import { defaultType } from '#shared/model/derived/batch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import type { TodoList } from '../todos.ts'
import { failedOutput, jsonOutput, type Tool } from '../tool.ts'
import { noTaskText, taskText, taskWords } from './declared-tasks.ts'
import type { SpawningCall, SubagentOutcome, Subagents, SubagentTask } from './delegation.ts'

const subagentType = z.string().min(1).default(defaultType).describe('Which kind of subagent does it.')
const todoIndex = z
  .int()
  .min(0)
  .optional()
  .describe('0-based index of the todo this task works on; its status follows the task.')

export const taskSchema = z.object({
  description: z.string().min(1).describe('The complete task: the subagent does not see this conversation.'),
  subagent_type: subagentType,
  todo_index: todoIndex,
})
type TaskArguments = z.infer<typeof taskSchema>

/** The report on a finished task for the model, before its merge. */
type TaskReport = Pick<SubagentOutcome, 'handle' | 'result' | 'diff'>

/** `task`: one subagent on its own fork. Clean changes are merged when it is done; the rest stays on its branch. */
export function createTaskTool(
  subagents: Subagents,
  merges: BranchMerges,
  todos: TodoList,
): Tool<TaskArguments, TaskReport> {
  return {
    ...toolFacts.task,
    runsBesideItself: true,
    description: `Delegates one task to a subagent that works on a private fork of your files and reports back. What it changed is merged when it is clean; conflicting paths stay on its branch for merge_subagent. Several task calls in one reply run in parallel. ${describeTypes(subagents.types)}`,
    schema: taskSchema,
    async run({ description, subagent_type, todo_index }, { threadId, callId, signal }) {
      const planned = [{ task: description, subagentType: subagent_type, name: null, todoIndex: todo_index ?? null }]
      const forked = forkTasks(subagents, todos, { threadId, callId }, planned)
      if (!forked.ok) return failedOutput(forked.error)
      const [outcome] = await subagents.run(threadId, forked.value, signal)
      if (!outcome) throw new Error('A forked subagent gave no outcome')
      const { handle, result, error, diff } = outcome
      if (error !== null || result === null)
        return failedOutput(JSON.stringify({ handle, error, ...(result !== null && { result }), diff }))
      const data = { handle, result, diff }
      return { ...jsonOutput(data), data }
    },
    async conclude({ data: report }, { threadId }) {
      if (!report) throw new Error('A finished task left no report')
      const merge = await merges.merge(threadId, [report.handle], { paths: null, force: false, strategy: 'refuse' })
      if (!merge.ok) return failedOutput(merge.error)
      return {
        ...jsonOutput({ ...report, merge: merge.value.result satisfies MergeResult }),
        entries: merge.value.entries,
      }
    },
  }
}

const task = z.union([
  z.string().min(1),
  z
    .object({
      ...taskWords,
      subagent_type: subagentType,
      name: z.string().min(1).max(60).optional(),
      todo_index: todoIndex,
    })
    .refine((given) => taskText(given) !== undefined, noTaskText),
])
export const spawnSchema = z.object({
  tasks: z
    .array(task)
    .describe('One entry per subagent: the task as text, or an object with task, subagent_type, name, todo_index.'),
  wait: z.boolean().default(true).describe('false returns at once: you go on, and hear of each end at your next step.'),
})
type SpawnArguments = z.infer<typeof spawnSchema>

/** The most characters of the patch of one subagent, and of all of a call, so that its result is not moved to a file. */
const mostPatch = 20_000
const mostPatches = 40_000

/** `spawn_subagents`: parallel branches. It waits for all and merges nothing. */
export function createSpawnSubagentsTool(subagents: Subagents, todos: TodoList): Tool<SpawnArguments> {
  return {
    ...toolFacts.spawn_subagents,
    description: `Starts subagents that work in parallel, each on its own private fork of your files, and waits for all of them unless wait is false. Give each a complete task: it does not see this conversation. Nothing is merged: look at each result, diff and patch (what fits of it), then use merge_subagent or discard_subagent with its handle. ${describeTypes(subagents.types)}`,
    schema: spawnSchema,
    async run({ tasks, wait }, { threadId, callId, access, signal }) {
      if (tasks.length === 0) return failedOutput('The list of tasks is empty. Give at least one task.')
      const forked = forkTasks(subagents, todos, { threadId, callId }, tasks.map(toTask))
      if (!forked.ok) return failedOutput(forked.error)
      if (!wait) {
        subagents.begin(threadId, forked.value)
        const begun = subagents.list(threadId).filter((view) => forked.value.includes(view.threadId))
        const started = begun.map(({ handle, name, task: said }) => ({ handle, name, task: said, status: 'running' }))
        return jsonOutput({ subagents: started, note: inBackground })
      }
      const outcomes = await subagents.run(threadId, forked.value, signal)
      const limit = Math.min(mostPatch, Math.floor(mostPatches / outcomes.length))
      const patches = await Promise.all(outcomes.map(({ branchId }) => subagents.patchOf(branchId, access, limit)))
      return jsonOutput({
        subagents: outcomes.map((outcome, index) => {
          const patch = patches[index] ?? ''
          return patch === '' ? reportOf(outcome) : { ...reportOf(outcome), patch }
        }),
      })
    },
  }
}

function toTask(given: SpawnArguments['tasks'][number]): SubagentTask {
  if (typeof given === 'string') return { task: given, subagentType: defaultType, name: null, todoIndex: null }
  return {
    task: taskText(given) ?? '',
    subagentType: given.subagent_type,
    name: given.name ?? null,
    todoIndex: given.todo_index ?? null,
  }
}

const inBackground =
  'They work while you go on. You hear of each end at your next step; agent_status, agent_wait, agent_message and agent_stop take their handles.'

/** What the parent of a subagent in the background reads of its end. It begins with `endMark`. */
export function endedReport(outcome: SubagentOutcome): object {
  const { handle, endedAt } = outcome
  return { handle, ended: isoOf(endedAt ?? 0), ...reportOf(outcome) }
}

/** By what the end of a subagent is found in texts that tell of it. */
export function endMark(handle: string, endedAt: number): string {
  return JSON.stringify({ handle, ended: isoOf(endedAt) }).slice(1, -1)
}

const isoOf = (milliseconds: number) => new Date(milliseconds).toISOString()

function reportOf({ handle, name, task, result, error, diff }: SubagentOutcome): object {
  return { handle, name, task, ...(error !== null && { error }), ...(result !== null && { result }), diff }
}

/**
 * Forks the tasks of a call, or returns what is wrong with them beyond their shape. A call that continues after a
 * restart uses its existing forks, because a person may have shortened the list of todos meanwhile.
 */
function forkTasks(
  subagents: Subagents,
  todos: TodoList,
  call: SpawningCall,
  tasks: readonly SubagentTask[],
): Result<readonly ThreadId[], string> {
  const problem = subagents.hasForked(call) ? undefined : taskProblem(tasks, subagents, todos.read().length)
  return problem === undefined ? success(subagents.fork(call, tasks)) : failure(problem)
}

/** The types, for the delegating model. */
export function describeTypes(types: Subagents['types']): string {
  return `Types:\n${types.map(({ name, description }) => `- ${oneLine(name)}: ${oneLine(description)}`).join('\n')}`
}

function taskProblem(tasks: readonly SubagentTask[], subagents: Subagents, todoCount: number): string | undefined {
  const problem = tasks.map(({ subagentType }) => subagents.startProblem(subagentType)).find((one) => one !== undefined)
  if (problem !== undefined) return problem
  const unlinked = tasks.find(({ todoIndex: index }) => index !== null && index >= todoCount)
  if (!unlinked) return undefined
  const missing = `There is no todo with index ${unlinked.todoIndex};`
  return todoCount === 0
    ? `${missing} the list is empty. Use write_todos first, or leave todo_index out.`
    : `${missing} the list has ${todoCount} (0-based). Use read_todos to see it.`
}
