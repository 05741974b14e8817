import { describe, expect, it } from 'vitest'
import { type Todo, updateTodoStatus, writeTodos } from './todo.ts'

const todo = (content: string, status: Todo['status']): Todo => ({ content, status })

describe('todos', () => {
  it('matches items by content in order, so duplicates keep their own status', () => {
    const current = [todo('a', 'in_progress'), todo('a', 'pending')]
    expect(writeTodos(current, [todo('a', 'completed'), todo('a', 'pending')]).ok).toBe(true)
    expect(writeTodos(current, [todo('a', 'pending'), todo('a', 'completed')]).ok).toBe(false)
  })

  it('refuses the whole list for one forbidden transition, and names the item', () => {
    const written = writeTodos(
      [todo('a', 'pending'), todo('b', 'pending')],
      [todo('a', 'in_progress'), todo('b', 'completed')],
    )
    expect(written).toMatchObject({
      ok: false,
      error: expect.stringContaining('"b" cannot go from pending to completed'),
    })
  })

  it('lets a new item start as pending or in progress, not completed', () => {
    expect(writeTodos([], [todo('a', 'in_progress')]).ok).toBe(true)
    expect(writeTodos([], [todo('a', 'completed')])).toMatchObject({
      ok: false,
      error: expect.stringContaining('cannot start as completed'),
    })
  })

  it.each([
    ['pending', 'in_progress', true],
    ['pending', 'completed', false],
    ['in_progress', 'pending', true],
    ['in_progress', 'completed', true],
    ['completed', 'in_progress', true],
    ['completed', 'pending', false],
  ] as const)('%s to %s: %s', (from, to, allowed) => {
    expect(updateTodoStatus([todo('a', from)], 0, to).ok).toBe(allowed)
  })

  it('names the length of the list when an index is out of range', () => {
    expect(updateTodoStatus([todo('a', 'pending')], 3, 'in_progress')).toMatchObject({
      error: expect.stringContaining('the list has 1'),
    })
  })
})
