import { describe, expect, it } from 'vitest'
import type { CoppiceEvent } from '#shared/model/event.ts'
import { event, userMessage } from '../store/entries.testkit.ts'
import { followEvents } from './follow-events.ts'

describe('following events', () => {
  it('opens a broken stream again after the last entry that arrived', async () => {
    const stop = new AbortController()
    const asked: number[] = []
    const seen: number[] = []
    async function* stream(after: number): AsyncGenerator<readonly CoppiceEvent[]> {
      yield [event(after + 1, userMessage('m', 'one')), event(after + 2, userMessage('n', 'two'))]
      throw new Error('broken')
    }
    await followEvents(
      {
        subscribe: async (after) => {
          asked.push(after)
          return stream(after)
        },
        lastSequence: () => 7,
        onEvents: (events) => seen.push(...events.map(({ sequence }) => sequence)),
        onProblem: () => undefined,
        sleep: async () => {
          if (asked.length === 3) stop.abort()
        },
      },
      stop.signal,
    )
    expect(asked).toEqual([7, 9, 11])
    expect(seen).toEqual([8, 9, 10, 11, 12, 13])
  })
})
