import { z } from 'zod'
import { defaultType } from '#shared/model/batch.ts'
import type { SubagentOutcome, Subagents, SubagentTask } from '../agent/subagents.ts'
import { describeTypes, forkTasks, subagentType, todoIndex } from './subagent-arguments.ts'
import type { TodoList } from './todo-list.ts'
import { failedOutput, jsonOutput, type Tool } from './tool.ts'

const task = z.union([
  z.string().min(1),
  z.object({
    task: z.string().min(1),
    subagent_type: subagentType,
    name: z.string().min(1).max(60).optional(),
    todo_index: todoIndex,
  }),
])
const schema = z.object({
  tasks: z
    .array(task)
    .describe('One entry per subagent: the task as text, or an object with task, subagent_type, name, todo_index.'),
})
type Arguments = z.infer<typeof schema>

/** `spawn_subagents`: parallel branches, waits for all, merges nothing. */
export function createSpawnSubagentsTool(subagents: Subagents, todos: TodoList): Tool<Arguments> {
  return {
    name: 'spawn_subagents',
    description: `Starts subagents that work in parallel, each on its own private fork of your files, and waits for all of them. Give each a complete task: it does not see this conversation. Nothing is merged: look at each result and diff, then use merge_subagent or discard_subagent with its handle. ${describeTypes(subagents.types)}`,
    schema,
    effect: 'agents',
    async run({ tasks }, { threadId, callId, signal }) {
      if (tasks.length === 0) return failedOutput('The list of tasks is empty. Give at least one task.')
      const forked = forkTasks(subagents, todos, { threadId, callId }, tasks.map(toTask))
      if (!forked.ok) return failedOutput(forked.error)
      const outcomes = await subagents.run(threadId, forked.value, signal)
      return jsonOutput({ subagents: outcomes.map(reportOf) })
    },
  }
}

function toTask(given: Arguments['tasks'][number]): SubagentTask {
  if (typeof given === 'string') return { task: given, subagentType: defaultType, name: null, todoIndex: null }
  return {
    task: given.task,
    subagentType: given.subagent_type,
    name: given.name ?? null,
    todoIndex: given.todo_index ?? null,
  }
}

function reportOf({ handle, name, task, result, error, diff }: SubagentOutcome): object {
  return { handle, name, task, ...(error === null ? { result } : { error }), diff }
}
