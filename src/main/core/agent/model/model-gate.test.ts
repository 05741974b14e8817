import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createModelGate } from './model-gate.ts'

const never = new AbortController().signal
const nobody = () => {}
/** Waits enough turns for everything that can settle. */
const settle = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

describe('the gate of model calls', () => {
  it('admits a waiting call before a newcomer', async () => {
    const gate = createModelGate(1)
    const entered: string[] = []
    const enter = async (name: string) => {
      const place = await gate.enter(nobody, never)
      entered.push(name)
      return place
    }
    const first = await enter('first')
    const waiting = enter('waiting')
    first[Symbol.dispose]()
    const newcomer = enter('newcomer')
    await settle()
    expect(entered).toEqual(['first', 'waiting'])
    ;(await waiting)[Symbol.dispose]()
    ;(await newcomer)[Symbol.dispose]()
  })

  it('admits waiting calls in the order of their arrival', async () => {
    const gate = createModelGate(1)
    const order: number[] = []
    const first = await gate.enter(nobody, never)
    const others = [1, 2, 3].map(async (number) => {
      using _place = await gate.enter(nobody, never)
      order.push(number)
      await settle()
    })
    first[Symbol.dispose]()
    await Promise.all(others)
    expect(order).toEqual([1, 2, 3])
  })

  it('makes no call wait while there is room', async () => {
    const gate = createModelGate(2)
    const told: number[] = []
    for (const _ of [1, 2]) await gate.enter((ahead) => told.push(ahead), never)
    expect(told).toEqual([])
  })

  it('frees a place that is given back after an error', async () => {
    const gate = createModelGate(1)
    const failing = async () => {
      using _place = await gate.enter(nobody, never)
      throw new Error('the model is gone')
    }
    await expect(failing()).rejects.toThrow('the model is gone')
    await gate.enter(nobody, never)
  })

  it('keeps the places of the others when one gives up', async () => {
    const gate = createModelGate(1)
    const first = await gate.enter(nobody, never)
    const impatient = new AbortController()
    const gone = gate.enter(nobody, impatient.signal)
    const patient = gate.enter(nobody, never)
    impatient.abort('stopped')
    await expect(gone).rejects.toBe('stopped')
    first[Symbol.dispose]()
    await patient
  })

  it('never holds more than its limit, and admits every call that does not give up', async () => {
    const visit = fc.record({ stays: fc.nat(3), givesUp: fc.boolean(), comes: fc.nat(4) })
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(visit, { maxLength: 12 }),
      async (limit, visits) => {
        const gate = createModelGate(limit)
        let inside = 0
        let most = 0
        const visitors = visits.map(async ({ stays, givesUp, comes }) => {
          for (let turn = 0; turn < comes; turn += 1) await Promise.resolve()
          const controller = new AbortController()
          const entering = gate.enter(nobody, controller.signal)
          if (givesUp) controller.abort('stopped')
          using _place = await entering
          inside += 1
          most = Math.max(most, inside)
          for (let turn = 0; turn < stays; turn += 1) await Promise.resolve()
          inside -= 1
          return 'was inside'
        })
        const ended = await Promise.allSettled(visitors)
        expect(most).toBeLessThanOrEqual(limit)
        for (const [index, { status }] of ended.entries()) if (!visits[index]?.givesUp) expect(status).toBe('fulfilled')
      },
    )
    await fc.assert(property, { numRuns: 200 })
  })
})
