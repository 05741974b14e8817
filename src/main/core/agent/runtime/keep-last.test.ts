import { expect, it } from 'vitest'
import { keepLast } from './keep-last.ts'

it('gives the same value while it is made of the same things', () => {
  const pair = keepLast((a: object, b: number) => ({ a, b }))
  const one = {}
  const first = pair(one, 1)
  expect(pair(one, 1)).toBe(first)
  expect(pair(one, 2)).toEqual({ a: one, b: 2 })
  expect(pair({}, 2)).not.toBe(pair(one, 2))
})

it('holds the last value alone', () => {
  const made: number[] = []
  const square = keepLast((number: number) => {
    made.push(number)
    return number * number
  })
  expect([square(2), square(2), square(3), square(2)]).toEqual([4, 4, 9, 4])
  expect(made).toEqual([2, 3, 2])
})

it('makes nothing of a call that failed', () => {
  let fails = true
  const answer = keepLast(() => {
    if (fails) throw new Error('not yet')
    return 42
  })
  expect(() => answer()).toThrow('not yet')
  fails = false
  expect(answer()).toBe(42)
})
