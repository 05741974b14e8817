import { failure, type Result, success } from '../../base/result.ts'

export const todoStatuses = ['pending', 'in_progress', 'completed'] as const
export type TodoStatus = (typeof todoStatuses)[number]

export interface Todo {
  readonly content: string
  readonly status: TodoStatus
  /** Why the linked subagent failed. Shown on the card that went back to `pending`. */
  readonly error?: string
}

const allowedNext: Record<TodoStatus, readonly TodoStatus[]> = {
  pending: ['pending', 'in_progress'],
  in_progress: ['in_progress', 'completed', 'pending'],
  completed: ['completed', 'in_progress'],
}

/** Whether a todo may get a status. `from` is null for a new todo. */
export function maySetTodo(from: TodoStatus | null, to: TodoStatus): boolean {
  return from === null ? to !== 'completed' : allowedNext[from].includes(to)
}

/** The other statuses that a todo may get, nearest first. */
export function nextTodoStatuses(from: TodoStatus): readonly TodoStatus[] {
  return allowedNext[from].filter((status) => status !== from)
}

/** Why a todo may not get its status, and what is allowed. `from` is null for a new todo. */
export function todoTransitionProblem(from: TodoStatus | null, { content, status }: Todo): string {
  if (from === null) return `"${content}" is new and cannot start as completed; start it as pending or in_progress.`
  const allowed = nextTodoStatuses(from).join(' or ')
  return `"${content}" cannot go from ${from} to ${status}; from ${from} it can go to ${allowed}.`
}

/**
 * Replaces the list. Items are matched by exact content, in order, so two items with the same text keep their own
 * status. An unmatched item is new and may not start as completed. One forbidden transition refuses the whole call.
 */
export function writeTodos(current: readonly Todo[], next: readonly Todo[]): Result<readonly Todo[], string> {
  const remaining = [...current]
  for (const item of next) {
    const index = remaining.findIndex((known) => known.content === item.content)
    const known = index < 0 ? undefined : remaining.splice(index, 1)[0]
    const from = known?.status ?? null
    if (!maySetTodo(from, item.status)) return failure(todoTransitionProblem(from, item))
  }
  return success(next)
}

/** Makes one valid transition of one item. The error says what is wrong and what is allowed. */
export function updateTodoStatus(
  current: readonly Todo[],
  index: number,
  status: TodoStatus,
): Result<readonly Todo[], string> {
  const item = current[index]
  if (!item) return failure(`There is no todo with index ${index}; the list has ${current.length} (0-based).`)
  const moved = { content: item.content, status }
  if (!maySetTodo(item.status, status)) return failure(todoTransitionProblem(item.status, moved))
  return success(current.with(index, moved))
}

interface LinkedToTodo {
  readonly parent: { readonly todoIndex: number | null } | null
  readonly linkedTodo: string | null
}

/**
 * The index of the todo that a subagent works on; -1 for none. It is found by its text, because it may move in the
 * list while the subagent works.
 */
export function indexOfLinked(todos: readonly Todo[], subagent: LinkedToTodo | undefined): number {
  if (!subagent?.parent || subagent.linkedTodo === null) return -1
  const first = subagent.parent.todoIndex ?? -1
  const { linkedTodo } = subagent
  return todos[first]?.content === linkedTodo ? first : todos.findIndex(({ content }) => content === linkedTodo)
}
