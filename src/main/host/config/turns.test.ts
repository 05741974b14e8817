import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

it('stays the same within one turn of the event loop, through promises too', async () => {
  const turn = createTurns()
  const first = turn()
  await Promise.resolve()
  expect(turn()).toBe(first)
})

it('is another one in every later turn', async () => {
  const turn = createTurns()
  const seen = [turn()]
  await nextTurn()
  seen.push(turn(), turn())
  await nextTurn()
  await nextTurn()
  seen.push(turn())
  expect(new Set(seen).size).toBe(3)
})
