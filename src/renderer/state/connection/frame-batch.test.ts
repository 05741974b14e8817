import { expect, it } from 'vitest'
import { batchPerFrame } from './frame-batch.ts'

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
