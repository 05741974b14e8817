import { expect, it } from 'vitest'
import type { ThreadState } from '#shared/model/thread.ts'
import { limitAgents } from './progress.ts'

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
