import type { Todo } from '#shared/model/todo.ts'
import type { EntryFromTool } from './tool.ts'

/** The list of the root thread, which its subagents share. */
export interface TodoList {
  read(): readonly Todo[]
  /** The entry that stores a new list, to be committed with the result of the call that wrote it. */
  entry(todos: readonly Todo[]): EntryFromTool
}

/** The list as the model reads it, with 0-based indices. */
export function listed(todos: readonly Todo[]): string {
  if (todos.length === 0) return 'The todo list is empty.'
  return todos
    .map(({ content, status, error }, index) => `${index}. [${status}] ${content}${error ? ` (failed: ${error})` : ''}`)
    .join('\n')
}
