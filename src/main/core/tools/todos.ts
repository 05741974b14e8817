import { z } from 'zod'
import type { EntryFromTool } from '#shared/model/entry.ts'
import { type Todo, todoStatuses, updateTodoStatus, writeTodos } from '#shared/model/todos/todo.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { failedOutput, type Tool, textOutput } from './tool.ts'

/** The list of the root thread, which its subagents share. */
export interface TodoList {
  /** The current list; empty when none was written. */
  read(): readonly Todo[]
  /** The entry that stores a new list. Commit it with the result of the call that wrote it. */
  entry(todos: readonly Todo[]): EntryFromTool
}

/** The list for the model, with 0-based indices. */
export function formatTodos(todos: readonly Todo[]): string {
  if (todos.length === 0) return 'The todo list is empty.'
  return todos
    .map(({ content, status, error }, index) => `${index}. [${status}] ${content}${error ? ` (failed: ${error})` : ''}`)
    .join('\n')
}

/** Tells an agent the list as a person left it. */
export function todoNotice(todos: readonly Todo[]): string {
  return `The user changed the todo list. It is now:\n${formatTodos(todos)}`
}

export const readSchema = z.object({})

/** `read_todos`: the list with its indices. */
export function createReadTodosTool(list: TodoList): Tool<z.infer<typeof readSchema>> {
  return {
    ...toolFacts.read_todos,
    description: 'Reads the todo list with 0-based indices.',
    schema: readSchema,
    run: async () => textOutput(formatTodos(list.read())),
  }
}

export const writeSchema = z.object({
  todos: z
    .array(z.object({ content: z.string().min(1), status: z.enum(todoStatuses) }))
    .describe('The whole list, in order; it replaces the one before.'),
})

/** `write_todos`: the plan that a person watches. */
export function createWriteTodosTool(list: TodoList): Tool<z.infer<typeof writeSchema>> {
  return {
    ...toolFacts.write_todos,
    description:
      'Writes the todo list, which the user watches. Use it for work of three or more steps; skip it for small tasks. Statuses go pending → in_progress → completed; new items start as pending or in_progress. Keep one item in progress unless work runs in parallel.',
    schema: writeSchema,
    async run({ todos }) {
      const written = writeTodos(list.read(), todos)
      if (!written.ok) return failedOutput(`${written.error} The list was not changed.`)
      return { ...textOutput(formatTodos(written.value)), entries: [list.entry(written.value)] }
    },
  }
}

export const updateSchema = z.object({
  todo_index: z.int().describe('0-based, as read_todos shows it.'),
  status: z.enum(todoStatuses),
})

/** `update_todo_status`: one valid transition of one item. */
export function createUpdateTodoStatusTool(list: TodoList): Tool<z.infer<typeof updateSchema>> {
  return {
    ...toolFacts.update_todo_status,
    description:
      'Moves one todo to another status. Allowed: pending → in_progress → completed, in_progress → pending, completed → in_progress.',
    schema: updateSchema,
    async run({ todo_index, status }) {
      const updated = updateTodoStatus(list.read(), todo_index, status)
      if (!updated.ok) return failedOutput(updated.error)
      return { ...textOutput(formatTodos(updated.value)), entries: [list.entry(updated.value)] }
    },
  }
}
