import { expect, it } from 'vitest'
import type { ThreadState } from '#shared/model/thread.ts'
import { shownAgents } from './agent-line.ts'

const agents = (pattern: string) =>
  [...pattern].map(
    (letter, index) => ({ agent: `${index}`, status: letter === 'w' ? 'working' : 'done' }) as ThreadState,
  )
const shown = (pattern: string, most: number) => shownAgents(agents(pattern), most).map(({ agent }) => agent)

it('shows all of a short list, and of a long one those that work first, in the order of the list', () => {
  expect(shown('dwd', 3)).toEqual(['0', '1', '2'])
  expect(shown('dddwdw', 3)).toEqual(['0', '3', '5'])
  expect(shown('wwww', 2)).toEqual(['0', '1'])
})
