import { describe, expect, it } from 'vitest'
import { indexOfLinked, type Todo } from './todo.ts'
import { cardsOf, editTodos, indexOfCard, type TodoEdit } from './todo-edit.ts'

const statuses = { p: 'pending', w: 'in_progress', d: 'completed' } as const

/** A list in short form: `a:p b:w` is a pending todo "a" and "b" in progress. */
function listOf(text: string): readonly Todo[] {
  return text.split(' ').map((part) => {
    const [content = '', status = 'p'] = part.split(':')
    return { content, status: statuses[status as keyof typeof statuses] }
  })
}

const card = (content: string, occurrence = 0) => ({ content, occurrence })

function edited(list: string, edit: TodoEdit): string {
  const result = editTodos(listOf(list), edit)
  if (!result.ok) return result.error.code
  const letters = { pending: 'p', in_progress: 'w', completed: 'd' }
  return result.value.map(({ content, status }) => `${content}:${letters[status]}`).join(' ')
}

const moved = (content: string, status: 'p' | 'w' | 'd', before: string | null = null): TodoEdit => ({
  kind: 'move',
  card: card(content),
  status: statuses[status],
  before: before === null ? null : card(before),
})

describe('an edit of a card', () => {
  it('adds a card to the end of its column, never as completed', () => {
    const add = (status: Todo['status']): TodoEdit => ({ kind: 'add', content: 'new', status })
    expect(edited('a:p b:w c:p', add('pending'))).toBe('a:p b:w c:p new:p')
    expect(edited('a:w b:p', add('in_progress'))).toBe('a:w new:w b:p')
    expect(edited('a:p', add('completed'))).toBe('forbidden')
  })

  it('changes a text and keeps the status, also of a completed card', () => {
    expect(edited('a:p b:d', { kind: 'rename', card: card('b'), content: 'better' })).toBe('a:p better:d')
  })

  it('moves a card within its column, before another card or to the end', () => {
    expect(edited('a:p b:p c:p', moved('c', 'p', 'a'))).toBe('c:p a:p b:p')
    expect(edited('a:p b:p c:p', moved('a', 'p', 'c'))).toBe('b:p a:p c:p')
    expect(edited('a:p b:p x:d', moved('a', 'p'))).toBe('b:p a:p x:d')
    expect(edited('a:p b:p', moved('a', 'p', 'a'))).toBe('a:p b:p')
  })

  it('moves a card to another column if its status may change like this', () => {
    expect(edited('a:p b:w c:w', moved('a', 'w', 'c'))).toBe('b:w a:w c:w')
    expect(edited('a:p b:w', moved('b', 'd'))).toBe('a:p b:d')
    expect(edited('a:p b:d', moved('b', 'w'))).toBe('a:p b:w')
    expect([edited('a:p', moved('a', 'd')), edited('a:d', moved('a', 'p'))]).toEqual(['forbidden', 'forbidden'])
  })

  it('takes the error off a card only when its status changes', () => {
    const failed: readonly Todo[] = [{ content: 'a', status: 'pending', error: 'Broke.' }]
    expect(editTodos(failed, { kind: 'rename', card: card('a'), content: 'b' })).toMatchObject({
      value: [{ content: 'b', error: 'Broke.' }],
    })
    expect(editTodos(failed, moved('a', 'w'))).toEqual({ ok: true, value: [{ content: 'a', status: 'in_progress' }] })
  })

  it('finds one of several cards with the same text, and says when a card is gone', () => {
    const list = listOf('a:p b:p a:w')
    expect(cardsOf(list)).toEqual([card('a'), card('b'), card('a', 1)])
    expect(indexOfCard(list, card('a', 1))).toBe(2)
    expect(edited('a:p b:p a:w', { kind: 'remove', card: card('a', 1) })).toBe('a:p b:p')
    expect(edited('a:p', { kind: 'remove', card: card('a', 1) })).toBe('gone')
  })
})

it('links a subagent to its todo by text, and by index among equal texts', () => {
  const linked = (todos: string, todoIndex: number | null, linkedTodo: string | null) =>
    indexOfLinked(listOf(todos), { parent: { todoIndex }, linkedTodo })
  expect(linked('a:p a:p', 1, 'a')).toBe(1)
  expect(linked('new:p a:p', 0, 'a')).toBe(1)
  expect(linked('b:p', 0, 'a')).toBe(-1)
  expect(linked('a:p', null, null)).toBe(-1)
})
