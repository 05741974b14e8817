import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createPace } from './pace.ts'

function workFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('pace', () => {
  it('lets everything else go on after one slice, however many loops work at once, and each of them comes to its end', async () => {
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

  it('throws the reason of a signal that was aborted meanwhile', async () => {
    const controller = new AbortController()
    const pace = createPace(controller.signal)
    workFor(5)
    const waits = pace()
    controller.abort(new Error('stop'))
    await expect(waits).rejects.toThrow('stop')
  })
})
