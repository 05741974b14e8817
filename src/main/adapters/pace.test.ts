import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createPace } from './pace.ts'

function workFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('pace', () => {
  it('gives other work a turn after each slice, however many loops run, and finishes every loop', async () => {
    const ended: number[] = []
    let pieces = 0
    const loops = Array.from({ length: 10 }, async (_, loop) => {
      const pace = createPace()
      for (let piece = 0; piece < 10; piece += 1) {
        await pace()
        workFor(1)
        pieces += 1
      }
      ended.push(loop)
    })
    const done = Promise.all(loops)
    const inOneTurn: number[] = []
    for (let seen = 0; ended.length < loops.length; seen = pieces) {
      await setImmediate()
      inOneTurn.push(pieces - seen)
    }
    await done
    expect(Math.max(...inOneTurn)).toBeLessThanOrEqual(3)
    expect(ended.toSorted()).toEqual(Array.from(loops.keys()))
  })

  it("throws the signal's reason when it aborts meanwhile", async () => {
    const controller = new AbortController()
    const pace = createPace(controller.signal)
    workFor(5)
    const waits = pace()
    controller.abort(new Error('stop'))
    await expect(waits).rejects.toThrow('stop')
  })
})
