import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { keepAwake } from '#adapters/system/keep-awake.ts'
import { stayAwake } from './stay-awake.ts'

it('keeps the computer awake exactly while agents work and the person wants it', () => {
  const told: string[] = []
  const state = { isOn: true, working: 0 }
  let look = () => {}
  const awake = stayAwake({
    keepAwake: () => {
      told.push('awake')
      return { [Symbol.dispose]: () => void told.push('over') }
    },
    log: () => {},
    isOn: () => state.isOn,
    working: () => state.working,
    every(_, act) {
      look = act
      return { [Symbol.dispose]: () => {} }
    },
  })
  for (const [isOn, working] of [
    [true, 0],
    [true, 2],
    [true, 1],
    [true, 0],
    [false, 3],
    [true, 1],
    [false, 1],
    [true, 1],
  ] as const) {
    Object.assign(state, { isOn, working })
    look()
  }
  awake[Symbol.dispose]()
  expect(told).toEqual(['awake', 'over', 'awake', 'over', 'awake', 'over'])
})

it.skipIf(!existsSync('/bin/sleep'))('a program that does not do it is named', async () => {
  const problem = await new Promise((resolve) => keepAwake(['/bin/sleep', 'nonsense'], resolve))
  expect(String(problem)).toContain('/bin/sleep ended with code')
})
