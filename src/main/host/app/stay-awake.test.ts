import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { keepAwake } from '#adapters/system/keep-awake.ts'
import { stayAwake } from './stay-awake.ts'

it('keeps the computer awake exactly while agents work and the person wants it', () => {
  let held = 0
  const state = { isOn: true, working: 0 }
  let look = () => {}
  const awake = stayAwake({
    keepAwake: () => {
      held += 1
      return {
        [Symbol.dispose]: () => {
          held -= 1
        },
      }
    },
    log: () => {},
    isOn: () => state.isOn,
    working: () => state.working,
    every(_, act) {
      look = act
      return { [Symbol.dispose]: () => {} }
    },
  })
  for (const [isOn, working, expected] of [
    [true, 0, 0],
    [true, 2, 1],
    [true, 1, 1],
    [true, 0, 0],
    [false, 3, 0],
    [true, 1, 1],
    [false, 1, 0],
    [true, 1, 1],
  ] as const) {
    Object.assign(state, { isOn, working })
    look()
    expect([isOn, working, held]).toEqual([isOn, working, expected])
  }
  awake[Symbol.dispose]()
  expect(held).toBe(0)
})

it.skipIf(!existsSync('/bin/sleep'))('a program that does not do it is named', async () => {
  const problem = await new Promise((resolve) => keepAwake(['/bin/sleep', 'nonsense'], resolve))
  expect(String(problem)).toContain('/bin/sleep ended with code')
})
