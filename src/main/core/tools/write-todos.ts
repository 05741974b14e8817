import { z } from 'zod'
import { todoStatuses, writeTodos } from '#shared/model/todo.ts'
import { listed, type TodoList } from './todo-list.ts'
import { failedOutput, type Tool, textOutput } from './tool.ts'

const schema = z.object({
  todos: z
    .array(z.object({ content: z.string().min(1), status: z.enum(todoStatuses) }))
    .describe('The whole list, in order; it replaces the one before.'),
})

/** `write_todos`: the plan a person watches. */
export function createWriteTodosTool(list: TodoList): Tool<z.infer<typeof schema>> {
  return {
    name: 'write_todos',
    description:
      'Writes the todo list, which the user watches. Use it for work of three or more steps; skip it for small tasks. Statuses go pending → in_progress → completed; new items start as pending or in_progress. Keep one item in progress unless work runs in parallel.',
    schema,
    effect: 'overlay',
    async run({ todos }) {
      const written = writeTodos(list.read(), todos)
      if (!written.ok) return failedOutput(`${written.error} The list was not changed.`)
      return { ...textOutput(listed(written.value)), entries: [list.entry(written.value)] }
    },
  }
}
