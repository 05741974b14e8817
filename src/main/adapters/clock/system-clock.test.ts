import { describe, expect, it } from 'vitest'
import { systemClock } from './system-clock.ts'

describe('systemClock', () => {
  it('sleeps at least as long as asked', async () => {
    const before = performance.now()
    await systemClock.sleep(20, new AbortController().signal)
    expect(performance.now() - before).toBeGreaterThanOrEqual(18)
  })

  it("rejects with the signal's reason when it aborts before or during the wait", async () => {
    await expect(systemClock.sleep(10_000, AbortSignal.abort('early'))).rejects.toBe('early')
    const controller = new AbortController()
    const asleep = systemClock.sleep(10_000, controller.signal)
    controller.abort('stopped')
    await expect(asleep).rejects.toBe('stopped')
  })
})
