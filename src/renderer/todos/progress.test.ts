import { expect, it } from 'vitest'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Todo } from '#shared/model/todo.ts'
import { keyTodos, limitAgents } from './progress.ts'

const agents = (pattern: string) =>
  [...pattern].map(
    (letter, index) => ({ agent: `${index}`, status: letter === 'w' ? 'working' : 'done' }) as ThreadState,
  )
const listed = (pattern: string, most: number) => limitAgents(agents(pattern), most).map(({ agent }) => agent)

it('shows a short list whole, and running agents first in a long one', () => {
  expect(listed('dwd', 3)).toEqual(['0', '1', '2'])
  expect(listed('dddwdw', 3)).toEqual(['0', '3', '5'])
  expect(listed('wwww', 2)).toEqual(['0', '1'])
})

const todo = (content: string): Todo => ({ content, status: 'pending' })

it('gives equal todos different keys', () => {
  const names = (...contents: readonly string[]) => keyTodos(contents.map(todo)).map(({ name }) => name)
  expect(new Set(names('a', 'a', 'b')).size).toBe(3)
  expect(names('a', 'b').at(-1)).toBe(names('b').at(-1))
})
