import { failure, type Result, success } from '../base/result.ts'

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

/**
 * Replaces the list. Items are matched by exact content, in order, so two items with the same text keep their own
 * status. An unmatched item is new and may not start as completed. One forbidden transition refuses the whole call.
 */
export function writeTodos(current: readonly Todo[], next: readonly Todo[]): Result<readonly Todo[], string> {
  const remaining = [...current]
  for (const item of next) {
    const index = remaining.findIndex((known) => known.content === item.content)
    const known = index < 0 ? undefined : remaining.splice(index, 1)[0]
    const problem = known ? forbidden(known.status, item) : startProblem(item)
    if (problem) return failure(problem)
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
  const problem = forbidden(item.status, { content: item.content, status })
  if (problem) return failure(problem)
  return success(current.with(index, { content: item.content, status }))
}

function forbidden(from: TodoStatus, to: Todo): string | undefined {
  if (allowedNext[from].includes(to.status)) return undefined
  const allowed = allowedNext[from].filter((status) => status !== from).join(' or ')
  return `"${to.content}" cannot go from ${from} to ${to.status}; from ${from} it can go to ${allowed}.`
}

function startProblem(item: Todo): string | undefined {
  if (item.status !== 'completed') return undefined
  return `"${item.content}" is new and cannot start as completed; start it as pending or in_progress.`
}
