import { expect, it } from 'vitest'
import type { Todo } from '#shared/model/todo.ts'
import { namedTodos } from './named-todos.ts'

const todo = (content: string): Todo => ({ content, status: 'pending' })

it('names a todo by what it says, and tells those apart that say the same', () => {
  const names = (...contents: readonly string[]) => namedTodos(contents.map(todo)).map(({ name }) => name)
  expect(new Set(names('a', 'a', 'b')).size).toBe(3)
  expect(names('a', 'b').at(-1)).toBe(names('b').at(-1))
})
