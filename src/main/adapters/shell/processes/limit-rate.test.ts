import { PassThrough } from 'node:stream'
import { afterEach, expect, it, vi } from 'vitest'
import { limitRate } from './limit-rate.ts'

afterEach(() => vi.useRealTimers())

it('lets a flood wait, and goes on with it later', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  const stream = new PassThrough()
  limitRate(stream)
  const piece = Buffer.alloc(400 * 1024)
  stream.emit('data', piece)
  expect(stream.isPaused()).toBe(false)
  stream.emit('data', piece)
  expect(stream.isPaused()).toBe(true)
  vi.advanceTimersByTime(60)
  expect(stream.isPaused()).toBe(false)
  stream.emit('data', piece)
  expect(stream.isPaused()).toBe(false)
})
