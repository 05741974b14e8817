import { failure, type Result, success } from '../../base/result.ts'
import { maySetTodo, type Todo, type TodoStatus, todoTransitionProblem } from './todo.ts'

/** Names a card by its text and its position among cards with the same text (0-based). Cards have no id. */
export interface TodoCard {
  readonly content: string
  readonly occurrence: number
}

/** A person's change to one card. It fits any later list that still holds the card. */
export type TodoEdit =
  /** Adds a card to the end of its column. */
  | { readonly kind: 'add'; readonly content: string; readonly status: TodoStatus }
  | { readonly kind: 'rename'; readonly card: TodoCard; readonly content: string }
  /** Puts a card before another one of the column `status`; null puts it at the end of that column. */
  | { readonly kind: 'move'; readonly card: TodoCard; readonly status: TodoStatus; readonly before: TodoCard | null }
  | { readonly kind: 'remove'; readonly card: TodoCard }

/** `gone`: the list no longer holds the card. `forbidden`: its status may not change like this. */
export interface TodoEditProblem {
  readonly code: 'gone' | 'forbidden'
  readonly message: string
}

/** Carries out one edit. Statuses follow the same rules as for agents. */
export function editTodos(current: readonly Todo[], edit: TodoEdit): Result<readonly Todo[], TodoEditProblem> {
  if (edit.kind === 'add') {
    const { content, status } = edit
    if (!maySetTodo(null, status)) return forbid(null, { content, status })
    return success(current.toSpliced(endOfColumn(current, status), 0, { content, status }))
  }
  const index = indexOfCard(current, edit.card)
  const todo = current[index]
  if (!todo) return failure(goneProblem(edit.card))
  if (edit.kind === 'remove') return success(current.toSpliced(index, 1))
  if (edit.kind === 'rename') return success(current.with(index, { ...todo, content: edit.content }))
  if (!maySetTodo(todo.status, edit.status)) return forbid(todo.status, { ...todo, status: edit.status })
  return success(moveCard(current, index, edit))
}

function moveCard(
  current: readonly Todo[],
  index: number,
  { card, status, before }: Extract<TodoEdit, { kind: 'move' }>,
): readonly Todo[] {
  const todo = current[index]
  if (!todo || (before && sameCard(card, before))) return current
  // The error belongs to the status that the card leaves.
  const moved = todo.status === status ? todo : { content: todo.content, status }
  const target = before ? indexOfCard(current, before) : -1
  const others = current.toSpliced(index, 1)
  const place = target < 0 ? endOfColumn(others, status) : target - (index < target ? 1 : 0)
  return others.toSpliced(place, 0, moved)
}

/** The index after the last card with this status; the end of the list if there is none. */
function endOfColumn(todos: readonly Todo[], status: TodoStatus): number {
  const last = todos.findLastIndex((todo) => todo.status === status)
  return last < 0 ? todos.length : last + 1
}

/** The index of the card in the list; -1 if the list does not hold it. */
export function indexOfCard(todos: readonly Todo[], { content, occurrence }: TodoCard): number {
  let seen = 0
  return todos.findIndex((todo) => todo.content === content && seen++ === occurrence)
}

/** Names the card at each index. */
export function cardsOf(todos: readonly Todo[]): readonly TodoCard[] {
  const seen = new Map<string, number>()
  return todos.map(({ content }) => {
    const occurrence = seen.get(content) ?? 0
    seen.set(content, occurrence + 1)
    return { content, occurrence }
  })
}

function sameCard(one: TodoCard, other: TodoCard): boolean {
  return one.content === other.content && one.occurrence === other.occurrence
}

function goneProblem({ content }: TodoCard): TodoEditProblem {
  return { code: 'gone', message: `The list has no todo "${content}" any more. The agent may have changed it.` }
}

function forbid(from: TodoStatus | null, to: Todo): Result<never, TodoEditProblem> {
  return failure({ code: 'forbidden', message: todoTransitionProblem(from, to) })
}
