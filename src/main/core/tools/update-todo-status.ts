import { z } from 'zod'
import { todoStatuses, updateTodoStatus } from '#shared/model/todo.ts'
import { listed, type TodoList } from './todo-list.ts'
import { failedOutput, type Tool, textOutput } from './tool.ts'

const schema = z.object({
  todo_index: z.int().describe('0-based, as read_todos shows it.'),
  status: z.enum(todoStatuses),
})

/** `update_todo_status`: one valid transition of one item. */
export function createUpdateTodoStatusTool(list: TodoList): Tool<z.infer<typeof schema>> {
  return {
    name: 'update_todo_status',
    description:
      'Moves one todo to another status. Allowed: pending → in_progress → completed, in_progress → pending, completed → in_progress.',
    schema,
    effect: 'overlay',
    async run({ todo_index, status }) {
      const updated = updateTodoStatus(list.read(), todo_index, status)
      if (!updated.ok) return failedOutput(updated.error)
      return { ...textOutput(listed(updated.value)), entries: [list.entry(updated.value)] }
    },
  }
}
