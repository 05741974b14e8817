import { expect, it } from 'vitest'
import { copied, growingInPlace } from './grow.ts'

it('never touches a list that somebody else made', () => {
  const given = [1, 2]
  for (const grow of [copied, growingInPlace()]) expect(grow(given, 3)).toEqual([1, 2, 3])
  expect(given).toEqual([1, 2])
})

it('grows its own list in place, and only its own', () => {
  const [grow, other] = [growingInPlace(), growingInPlace()]
  const one = grow<number>([], 1)
  expect(grow(one, 2)).toBe(one)
  expect(other(one, 3)).toEqual([1, 2, 3])
  expect(one).toEqual([1, 2])
})
