import { z } from 'zod'
import { listed, type TodoList } from './todo-list.ts'
import { type Tool, textOutput } from './tool.ts'

const schema = z.object({})

/** `read_todos`: the list with its indices. */
export function createReadTodosTool(list: TodoList): Tool<z.infer<typeof schema>> {
  return {
    name: 'read_todos',
    description: 'Reads the todo list with 0-based indices.',
    schema,
    effect: 'read',
    run: async () => textOutput(listed(list.read())),
  }
}
