import { expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { createSignals } from './signals.ts'

const thread = 'thread' as ThreadId

it('wakes everyone who sleeps, and nobody who comes later', async () => {
  const signals = createSignals()
  const never = new AbortController().signal
  const slept = Promise.all([signals.next(thread, never), signals.next(thread, never)])
  signals.wake(thread)
  await expect(slept).resolves.toEqual([undefined, undefined])
  let woken = false
  void signals.next(thread, never).then(() => (woken = true))
  await Promise.resolve()
  expect(woken).toBe(false)
})

it('still wakes those who sleep on after another one gave up', async () => {
  const signals = createSignals()
  const [first, second] = [new AbortController(), new AbortController()]
  const given = signals.next(thread, first.signal)
  first.abort('gone')
  await expect(given).rejects.toBe('gone')
  const [staying, leaving] = [signals.next(thread, new AbortController().signal), signals.next(thread, second.signal)]
  second.abort('gone')
  await expect(leaving).rejects.toBe('gone')
  signals.wake(thread)
  await expect(staying).resolves.toBeUndefined()
})
