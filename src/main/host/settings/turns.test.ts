import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

it('stays the same within one turn of the event loop, through promises too', async () => {
  const turn = createTurns(() => 0)
  const first = turn()
  await Promise.resolve()
  expect(turn()).toBe(first)
})

it('is another one in every later turn', async () => {
  const turn = createTurns(() => 0)
  const seen = [turn()]
  await nextTurn()
  seen.push(turn(), turn())
  await nextTurn()
  await nextTurn()
  seen.push(turn())
  expect(new Set(seen).size).toBe(3)
})

it('is another one after a few milliseconds of one turn', () => {
  let time = 0
  const turn = createTurns(() => time)
  const first = turn()
  time = 3
  expect(turn()).toBe(first)
  time = 6
  const second = turn()
  expect(second).not.toBe(first)
  time = 9
  expect(turn()).toBe(second)
})
