import { afterEach, describe, expect, it, vi } from 'vitest'
import { batchPerFrame, followFrames } from './frame-batch.ts'

it('delivers all items of a frame at once, in order', () => {
  const frames: (readonly number[])[] = []
  const due: (() => void)[] = []
  const add = batchPerFrame<number>(
    (items) => frames.push(items),
    (flush) => due.push(flush),
  )
  add(1)
  add(2)
  expect([due.length, frames.length]).toEqual([1, 0])
  due.shift()?.()
  add(3)
  due.shift()?.()
  expect(frames).toEqual([[1, 2], [3]])
})

it('spreads very many items over frames, and loses none', () => {
  const frames: (readonly number[])[] = []
  const due: (() => void)[] = []
  const add = batchPerFrame<number>(
    (items) => frames.push(items),
    (flush) => due.push(flush),
  )
  for (let item = 0; item < 2500; item++) add(item)
  for (let flush = due.shift(); flush; flush = due.shift()) flush()
  expect(frames.map(({ length }) => length)).toEqual([1000, 1000, 500])
  expect(frames.flat()).toEqual(Array.from({ length: 2500 }, (_, item) => item))
})

describe('frames in which batches are delivered', () => {
  const frame = 16
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  /** Counts the batches in 400 ms in which there is always something to deliver. */
  function countBatches(page: EventTarget): number {
    const schedule = followFrames(page)
    let batches = 0
    const deliver = (): void => {
      batches += 1
      schedule(deliver)
    }
    schedule(deliver)
    for (let at = 0; at < 400; at += 50) {
      page.dispatchEvent(new Event('keydown'))
      vi.advanceTimersByTime(50)
    }
    return batches
  }

  it('are fewer while somebody types, and all others otherwise', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, frame))
    const typing = new EventTarget()
    const reading = { ...typing, addEventListener: () => undefined, dispatchEvent: () => true } as EventTarget
    expect(countBatches(reading)).toBe(400 / frame)
    expect(countBatches(typing)).toBeLessThanOrEqual(6)
  })
})
