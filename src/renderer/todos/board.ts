import { answerOf, type ThreadState } from '#shared/model/thread.ts'
import { indexOfLinked, nextTodoStatuses, type Todo, type TodoStatus, todoStatuses } from '#shared/model/todos/todo.ts'
import { cardsOf, type TodoCard, type TodoEdit } from '#shared/model/todos/todo-edit.ts'

export interface BoardCard extends Todo {
  /** Names the card among all cards. Stays the same when cards before it come and go. */
  readonly key: string
  readonly card: TodoCard
  /** The subagents that work or worked on it, latest first. */
  readonly agents: readonly ThreadState[]
}

export interface BoardColumn {
  readonly status: TodoStatus
  readonly cards: readonly BoardCard[]
}

/** A place that a card can be dropped on: before another card, or at the end of the column. */
export interface DropPlace {
  readonly status: TodoStatus
  /** The key of a card; null for the end. */
  readonly before: string | null
}

/** Sorts the list into its three columns. `family` are the agents of the thread. */
export function boardOf(todos: readonly Todo[], family: readonly ThreadState[]): readonly BoardColumn[] {
  const agents = agentsByTodo(todos, family)
  const cards = cardsOf(todos).map((card, index): BoardCard => {
    const { content, status, error } = todos[index] ?? { content: card.content, status: 'pending' }
    const own = agents.get(index) ?? noAgents
    return { key: cardKey(card), card, content, status, agents: own, ...(error !== undefined && { error }) }
  })
  return todoStatuses.map((status) => ({ status, cards: cards.filter((card) => card.status === status) }))
}

/** The new columns with the cards of the old ones where they are equal, so that only changed cards render again. */
export function keepEqualCards(before: readonly BoardColumn[], after: readonly BoardColumn[]): readonly BoardColumn[] {
  const known = new Map(before.flatMap(({ cards }) => cards).map((card) => [card.key, card]))
  const keep = (card: BoardCard): BoardCard => {
    const old = known.get(card.key)
    return old && isSameCard(old, card) ? old : card
  }
  return after.map((column, index) => {
    const cards = column.cards.map(keep)
    const old = before[index]
    const isSame = old?.cards.length === cards.length && cards.every((card, row) => card === old.cards[row])
    return isSame ? old : { ...column, cards }
  })
}

function isSameCard(one: BoardCard, other: BoardCard): boolean {
  const { agents } = other
  return (
    one.status === other.status &&
    one.error === other.error &&
    one.agents.length === agents.length &&
    one.agents.every((agent, index) => agent === agents[index])
  )
}

const noAgents: readonly ThreadState[] = []

function agentsByTodo(
  todos: readonly Todo[],
  family: readonly ThreadState[],
): ReadonlyMap<number, readonly ThreadState[]> {
  const found = new Map<number, ThreadState[]>()
  for (const thread of family.toReversed()) {
    const index = indexOfLinked(todos, thread)
    if (index >= 0) found.set(index, [...(found.get(index) ?? []), thread])
  }
  return found
}

export function cardKey({ content, occurrence }: TodoCard): string {
  return `${occurrence} ${content}`
}

/** The column and row of a card; null if no column holds it. */
export function placeOfCard(
  columns: readonly BoardColumn[],
  key: string | null,
): { readonly column: number; readonly row: number } | null {
  for (const [column, { cards }] of columns.entries()) {
    const row = cards.findIndex((card) => card.key === key)
    if (row >= 0) return { column, row }
  }
  return null
}

export function cardAt(columns: readonly BoardColumn[], key: string | null): BoardCard | null {
  const place = placeOfCard(columns, key)
  return place ? (columns[place.column]?.cards[place.row] ?? null) : null
}

export type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight'

export function isArrow(key: string): key is Arrow {
  return key === 'ArrowUp' || key === 'ArrowDown' || key === 'ArrowLeft' || key === 'ArrowRight'
}

/**
 * The card that an arrow key leads to; null for none. In a stack, up and down go through all columns. Beside each
 * other, left and right go to the nearest column with cards.
 */
export function cardAfterKey(
  columns: readonly BoardColumn[],
  key: string,
  arrow: Arrow,
  stacked: boolean,
): string | null {
  const place = placeOfCard(columns, key)
  if (!place) return null
  const step = arrow === 'ArrowUp' || arrow === 'ArrowLeft' ? -1 : 1
  const isVertical = arrow === 'ArrowUp' || arrow === 'ArrowDown'
  if (isVertical && !stacked) return columns[place.column]?.cards[place.row + step]?.key ?? null
  if (isVertical) {
    const all = columns.flatMap(({ cards }) => cards)
    return all[all.findIndex((card) => card.key === key) + step]?.key ?? null
  }
  if (stacked) return null
  const aside = step > 0 ? columns.slice(place.column + 1) : columns.slice(0, place.column).reverse()
  const cards = aside.find((column) => column.cards.length > 0)?.cards ?? []
  return cards[Math.min(place.row, cards.length - 1)]?.key ?? null
}

/** Where an arrow key with Alt or Ctrl puts a card; null when there is no such place. */
export function placeAfterKey(columns: readonly BoardColumn[], key: string, arrow: Arrow): DropPlace | null {
  const place = placeOfCard(columns, key)
  const column = place && columns[place.column]
  if (!place || !column) return null
  if (arrow === 'ArrowUp' || arrow === 'ArrowDown') {
    const beside = column.cards[place.row + (arrow === 'ArrowUp' ? -1 : 1)]
    if (!beside) return null
    const before = arrow === 'ArrowUp' ? beside : column.cards[place.row + 2]
    return { status: column.status, before: before?.key ?? null }
  }
  const target = columns[place.column + (arrow === 'ArrowLeft' ? -1 : 1)]
  return target ? { status: target.status, before: target.cards[place.row]?.key ?? null } : null
}

/** The edit that puts a card on a place; null if the card is there already. */
export function editForDrop(columns: readonly BoardColumn[], key: string, place: DropPlace): TodoEdit | null {
  const from = placeOfCard(columns, key)
  const dropped = cardAt(columns, key)
  if (!from || !dropped || place.before === key) return null
  const column = columns[from.column]
  const isSame = column?.status === place.status && (column.cards[from.row + 1]?.key ?? null) === place.before
  if (isSame) return null
  const before = cardAt(columns, place.before)?.card ?? null
  return { kind: 'move', card: dropped.card, status: place.status, before }
}

/** The status that a card must have before it may get `to`; null if it may get it at once. */
export function statusBetween(from: TodoStatus, to: TodoStatus): TodoStatus | null {
  if (from === to || nextTodoStatuses(from).includes(to)) return null
  return nextTodoStatuses(from).find((status) => nextTodoStatuses(status).includes(to)) ?? null
}

/** The status that one press on a card's mark gives it. */
export function statusAfterPress(status: TodoStatus): TodoStatus {
  return status === 'in_progress' ? 'completed' : 'in_progress'
}

/** What a subagent brought: the first line of its answer, or why it failed. Empty while it has neither. */
export function resultOf(thread: ThreadState): { readonly text: string; readonly failed: boolean } {
  const { end } = thread
  if (end?.status === 'failed' || end?.status === 'stopped')
    return { text: end.message, failed: end.status === 'failed' }
  if (end?.status !== 'done') return { text: '', failed: false }
  return { text: firstLine(answerOf(thread)), failed: false }
}

/** The first line with words, without the signs of a list. A heading counts only if nothing follows it. */
function firstLine(text: string): string {
  const lines = text.split('\n').filter((one) => /\p{L}|\p{N}/u.test(one))
  const line = lines.find((one) => !one.trimStart().startsWith('#')) ?? lines[0] ?? ''
  return line
    .replace(/^[\s#>*-]+/, '')
    .replaceAll('`', '')
    .trim()
}
