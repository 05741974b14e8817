import { expect, it } from 'vitest'
import { copied, growingInPlace } from './grow.ts'

it('never changes a list that it did not make', () => {
  const given = [1, 2]
  for (const grow of [copied, growingInPlace()]) expect(grow(given, 3)).toEqual([1, 2, 3])
  expect(given).toEqual([1, 2])
})

it('grows in place the lists that it made, and only those', () => {
  const [grow, other] = [growingInPlace(), growingInPlace()]
  const one = grow<number>([], 1)
  expect(grow(one, 2)).toBe(one)
  expect(other(one, 3)).toEqual([1, 2, 3])
  expect(one).toEqual([1, 2])
})
