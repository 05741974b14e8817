import { describe, expect, it } from 'vitest'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Todo } from '#shared/model/todos/todo.ts'
import {
  type BoardColumn,
  boardOf,
  cardAfterKey,
  editForDrop,
  keepEqualCards,
  placeAfterKey,
  resultOf,
  statusBetween,
} from './board.ts'

const todo = (content: string, status: Todo['status'] = 'pending'): Todo => ({ content, status })
const todos = [todo('a'), todo('x', 'in_progress'), todo('b'), todo('a'), todo('z', 'completed')]
const columns = boardOf(todos, [])
const keys = columns.map(({ cards }) => cards.map(({ key }) => key))

const subagent = (agent: string, todoIndex: number, linkedTodo: string | null) =>
  ({ agent, parent: { todoIndex }, linkedTodo }) as ThreadState

describe('a board', () => {
  it('sorts the list into columns and gives equal texts different keys', () => {
    expect(keys).toEqual([['0 a', '0 b', '1 a'], ['0 x'], ['0 z']])
  })

  it('shows the subagents of each card, latest first', () => {
    const family = [subagent('first', 2, 'b'), subagent('none', 0, null), subagent('second', 2, 'b')]
    const [pending] = boardOf(todos, family)
    expect(pending?.cards.map(({ agents }) => agents.map(({ agent }) => agent))).toEqual([[], ['second', 'first'], []])
  })
})

describe('arrow keys', () => {
  it('lead to the cards beside each other, over empty columns', () => {
    const sparse = boardOf([todo('a'), todo('b'), todo('z', 'completed')], [])
    expect(cardAfterKey(sparse, '0 b', 'ArrowRight', false)).toBe('0 z')
    expect(cardAfterKey(sparse, '0 z', 'ArrowLeft', false)).toBe('0 a')
    expect(cardAfterKey(sparse, '0 a', 'ArrowUp', false)).toBeNull()
    expect(cardAfterKey(sparse, '0 b', 'ArrowDown', false)).toBeNull()
  })

  it('lead through all columns in a stack', () => {
    expect(cardAfterKey(columns, '1 a', 'ArrowDown', true)).toBe('0 x')
    expect(cardAfterKey(columns, '0 x', 'ArrowUp', true)).toBe('1 a')
    expect(cardAfterKey(columns, '0 x', 'ArrowRight', true)).toBeNull()
  })

  it('move a card by one place or to the next column', () => {
    expect(placeAfterKey(columns, '0 b', 'ArrowUp')).toEqual({ status: 'pending', before: '0 a' })
    expect(placeAfterKey(columns, '0 a', 'ArrowDown')).toEqual({ status: 'pending', before: '1 a' })
    expect(placeAfterKey(columns, '0 b', 'ArrowDown')).toEqual({ status: 'pending', before: null })
    expect(placeAfterKey(columns, '1 a', 'ArrowDown')).toBeNull()
    expect(placeAfterKey(columns, '0 a', 'ArrowRight')).toEqual({ status: 'in_progress', before: '0 x' })
    expect(placeAfterKey(columns, '0 a', 'ArrowLeft')).toBeNull()
  })
})

describe('a dropped card', () => {
  it('is an edit, unless it is where it was', () => {
    expect(editForDrop(columns, '1 a', { status: 'in_progress', before: null })).toEqual({
      kind: 'move',
      card: { content: 'a', occurrence: 1 },
      status: 'in_progress',
      before: null,
    })
    expect(editForDrop(columns, '0 a', { status: 'pending', before: '0 b' })).toBeNull()
    expect(editForDrop(columns, '1 a', { status: 'pending', before: null })).toBeNull()
    expect(editForDrop(columns, '1 a', { status: 'pending', before: '1 a' })).toBeNull()
  })

  it('names the status that lies between two others', () => {
    expect(statusBetween('pending', 'completed')).toBe('in_progress')
    expect(statusBetween('completed', 'pending')).toBe('in_progress')
    expect(statusBetween('in_progress', 'completed')).toBeNull()
  })
})

describe('the result of a subagent', () => {
  const ended = (status: string, text: string, message = '') =>
    resultOf({
      end: { status, message },
      messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
    } as unknown as ThreadState)

  it('is the first line of its answer, without the heading', () => {
    expect(ended('done', '\n## Summary\n\n- Added two tests.\nMore').text).toBe('Added two tests.')
    expect(ended('done', '# Only a heading').text).toBe('Only a heading')
  })

  it('is the reason if it failed', () => {
    expect(ended('failed', 'Half an answer', 'The key was refused.')).toEqual({
      text: 'The key was refused.',
      failed: true,
    })
  })
})

describe('a changed plan', () => {
  const linked = subagent('helper', 1, 'x')

  it('keeps every card and column that is equal to the one before', () => {
    const after = keepEqualCards(
      columns,
      boardOf(
        [...todos.slice(1)].map((one) => ({ ...one })),
        [],
      ),
    )
    expect(after[1]).toBe(columns[1])
    expect(after[0]).not.toBe(columns[0])
    expect(after[0]?.cards[0]).toBe(columns[0]?.cards[1])
  })

  it('has new cards where status, error or agents differ', () => {
    const cardX = (of: readonly BoardColumn[]) =>
      of.flatMap(({ cards }) => cards).find(({ content }) => content === 'x')
    const cards = [
      boardOf([todo('x', 'completed')], []),
      boardOf([{ ...todo('x', 'in_progress'), error: 'Broken' }], []),
      boardOf([todo('a'), todo('x', 'in_progress')], [linked]),
    ].map((changed) => cardX(keepEqualCards(columns, changed)))
    for (const card of cards) expect(card).not.toBe(cardX(columns))
    expect(cards.map((card) => [card?.status, card?.error, card?.agents.length])).toEqual([
      ['completed', undefined, 0],
      ['in_progress', 'Broken', 0],
      ['in_progress', undefined, 1],
    ])
  })
})
