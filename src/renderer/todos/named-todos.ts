import type { Todo } from '#shared/model/todo.ts'

export interface NamedTodo {
  /** Stays when cards before it come and go. */
  readonly name: string
  readonly todo: Todo
}

/** Todos have no name but what they say; of those that say the same the place among them tells. */
export function namedTodos(todos: readonly Todo[]): readonly NamedTodo[] {
  const seen = new Map<string, number>()
  return todos.map((todo) => {
    const before = seen.get(todo.content) ?? 0
    seen.set(todo.content, before + 1)
    return { name: `${before} ${todo.content}`, todo }
  })
}
