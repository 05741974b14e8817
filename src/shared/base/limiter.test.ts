import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKeyedMutex, createSemaphore, forEachLimited } from './limiter.ts'

const never = new AbortController().signal
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a semaphore', () => {
  it('hands a free place to the longest waiter, even when another one arrives at the same moment', async () => {
    const semaphore = createSemaphore(1)
    const order: string[] = []
    const first = await semaphore.enter(never)
    const waiting = semaphore.enter(never).then((place) => {
      order.push('waited')
      return place
    })
    await settle()
    first[Symbol.dispose]()
    const newcomer = semaphore.enter(never).then(() => order.push('newcomer'))
    ;(await waiting)[Symbol.dispose]()
    await newcomer
    expect(order).toEqual(['waited', 'newcomer'])
  })

  it('tells each waiter how many are ahead of it', async () => {
    const semaphore = createSemaphore(1)
    const ahead: number[] = []
    const place = await semaphore.enter(never, (count) => ahead.push(count))
    for (let count = 0; count < 3; count += 1) void semaphore.enter(never, (before) => ahead.push(before))
    expect(ahead).toEqual([0, 1, 2])
    place[Symbol.dispose]()
  })

  it('rejects a waiter that gives up at once with its reason, and lets the others pass it', async () => {
    const semaphore = createSemaphore(1)
    const place = await semaphore.enter(never)
    const gone = new AbortController()
    const leaving = semaphore.enter(gone.signal)
    const staying = semaphore.enter(never)
    gone.abort(new Error('gave up'))
    await expect(leaving).rejects.toThrow('gave up')
    place[Symbol.dispose]()
    await expect(staying).resolves.toBeDefined()
    await expect(semaphore.enter(gone.signal)).rejects.toThrow('gave up')
  })

  it('gives a place back only once, however often it is disposed', async () => {
    const semaphore = createSemaphore(1)
    const place = await semaphore.enter(never)
    place[Symbol.dispose]()
    place[Symbol.dispose]()
    let inside = 0
    for (let count = 0; count < 2; count += 1) void semaphore.enter(never).then(() => (inside += 1))
    await settle()
    expect(inside).toBe(1)
  })

  it('never admits more than its limit under random arrivals, departures and cancellations', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        async (limit, steps) => {
          const semaphore = createSemaphore(limit)
          let inside = 0
          let most = 0
          await Promise.all(
            steps.map(async (givesUp) => {
              const controller = new AbortController()
              const entering = semaphore.enter(controller.signal)
              if (givesUp) controller.abort(new Error('gave up'))
              const place = await entering.catch(() => undefined)
              if (!place) return
              inside += 1
              most = Math.max(most, inside)
              await settle()
              inside -= 1
              place[Symbol.dispose]()
            }),
          )
          expect(most).toBeLessThanOrEqual(limit)
          expect(inside).toBe(0)
        },
      ),
      { numRuns: 50 },
    )
  })
})

describe('a keyed mutex', () => {
  it('runs the work of one key one at a time and in order, and does not block other keys', async () => {
    const mutex = createKeyedMutex()
    const order: string[] = []
    const enter = async (key: string, name: string) => {
      using _place = await mutex.enter(key, never)
      order.push(`${name} in`)
      await settle()
      order.push(`${name} out`)
    }
    await Promise.all([enter('a', 'first'), enter('a', 'second'), enter('b', 'other')])
    expect(order.filter((step) => !step.startsWith('other'))).toEqual([
      'first in',
      'first out',
      'second in',
      'second out',
    ])
    expect(order.indexOf('other in')).toBeLessThan(order.indexOf('second in'))
  })
})

describe('work over many items', () => {
  it('runs every item, and at most the limit at once', async () => {
    let inside = 0
    let most = 0
    const done: number[] = []
    await forEachLimited([1, 2, 3, 4, 5], 2, async (item) => {
      inside += 1
      most = Math.max(most, inside)
      await settle()
      inside -= 1
      done.push(item)
    })
    expect([most, done]).toEqual([2, [1, 2, 3, 4, 5]])
  })

  it('starts nothing after a failure and rejects once the running items have settled', async () => {
    const started: number[] = []
    let settled = false
    const running = forEachLimited([1, 2, 3, 4], 2, async (item) => {
      started.push(item)
      if (item === 1) throw new Error('broken')
      await settle()
      settled = true
    })
    await expect(running).rejects.toThrow('broken')
    expect([started, settled]).toEqual([[1, 2], true])
  })
})
