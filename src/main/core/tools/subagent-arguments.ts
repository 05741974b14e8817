import { z } from 'zod'
import { failure, type Result, success } from '#shared/base/result.ts'
import { defaultType } from '#shared/model/batch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { SpawningCall, Subagents, SubagentTask } from '../agent/subagents.ts'
import type { TodoList } from './todo-list.ts'

export const subagentType = z.string().min(1).default(defaultType).describe('Which kind of subagent does it.')
export const todoIndex = z
  .int()
  .min(0)
  .optional()
  .describe('0-based index of the todo this task works on; its status follows the task.')

/**
 * Forks the tasks of a call, or says what is wrong with them beyond their shape. A call that is entered again after a
 * restart goes on with what it forked: meanwhile a person may have shortened the list its tasks were linked to.
 */
export function forkTasks(
  subagents: Subagents,
  todos: TodoList,
  call: SpawningCall,
  tasks: readonly SubagentTask[],
): Result<readonly ThreadId[], string> {
  const problem = subagents.hasForked(call) ? undefined : taskProblem(tasks, subagents.types, todos.read().length)
  return problem === undefined ? success(subagents.fork(call, tasks)) : failure(problem)
}

/** The types as the delegating model reads them. */
export function describeTypes(types: Subagents['types']): string {
  return `Types:\n${types.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}`
}

function taskProblem(tasks: readonly SubagentTask[], types: Subagents['types'], todoCount: number): string | undefined {
  const unknown = tasks.find((task) => types.every(({ name }) => name !== task.subagentType))
  if (unknown)
    return `There is no subagent type "${unknown.subagentType}". Types: ${types.map(({ name }) => name).join(', ')}.`
  const unlinked = tasks.find(({ todoIndex: index }) => index !== null && index >= todoCount)
  if (!unlinked) return undefined
  const missing = `There is no todo with index ${unlinked.todoIndex};`
  return todoCount === 0
    ? `${missing} the list is empty. Use write_todos first, or leave todo_index out.`
    : `${missing} the list has ${todoCount} (0-based). Use read_todos to see it.`
}
