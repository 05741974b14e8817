import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { createEventQueue, joinDeltas } from './event-queue.ts'

function delta(message: string, text: string, part: 'text' | 'thinking' = 'text'): CoppiceEvent {
  const head = { sequence: 7, threadId: message as ThreadId, at: 0 }
  return { ...head, type: 'message.delta', messageId: message as MessageId, part, text }
}

function dropped(message: string): CoppiceEvent {
  return { sequence: 7, threadId: message as ThreadId, at: 0, type: 'message.dropped', messageId: message as MessageId }
}

function line(event: CoppiceEvent): string {
  return event.type === 'message.delta' ? `${event.messageId}.${event.part} ${event.text}` : event.type
}

describe('joining the deltas of replies', () => {
  it('joins the deltas between two other events, for each reply', () => {
    const events = [delta('a', '1'), delta('b', '2'), delta('a', '3'), dropped('a'), delta('a', '4'), delta('a', '5')]
    expect(joinDeltas(events).map(line)).toEqual(['a.text 13', 'b.text 2', 'message.dropped', 'a.text 45'])
  })

  it('keeps the order of thoughts and text', () => {
    const events = [
      delta('a', '1', 'thinking'),
      delta('a', '2', 'thinking'),
      delta('a', '3'),
      delta('a', '4', 'thinking'),
    ]
    expect(joinDeltas(events).map(line)).toEqual(['a.thinking 12', 'a.text 3', 'a.thinking 4'])
  })

  it('keeps the order of each reply, and of all other events', () => {
    const events = fc.array(
      fc.oneof(
        fc
          .tuple(fc.constantFrom('a', 'b', 'c'), fc.string(), fc.constantFrom('text' as const, 'thinking' as const))
          .map(([message, text, part]) => delta(message, text, part)),
        fc.constantFrom('a', 'b', 'c').map(dropped),
      ),
    )
    fc.assert(
      fc.property(events, (all) => {
        for (const message of ['a', 'b', 'c']) expect(heard(joinDeltas(all), message)).toEqual(heard(all, message))
      }),
    )
  })
})

/** One reply's deltas between all other events, however they are cut. */
function heard(events: readonly CoppiceEvent[], message: string): readonly string[] {
  const lines: string[] = []
  let part = ''
  for (const event of events) {
    if (event.type !== 'message.delta') lines.push(event.type)
    else if (event.messageId !== message) continue
    else if (part === event.part) lines.push(`${lines.pop()}${event.text}`)
    else lines.push(`${event.part} ${event.text}`)
    part = event.type === 'message.delta' ? event.part : ''
  }
  return lines
}

describe('events for a client', () => {
  let stop: AbortController
  let sent: string[][]
  let queue: ReturnType<typeof createEventQueue>
  let drained: Promise<void>

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    stop = new AbortController()
    sent = []
    queue = createEventQueue(stop.signal)
    drained = (async () => {
      for await (const events of queue.drain()) sent.push(events.map(line))
    })()
  })
  afterEach(async () => {
    stop.abort()
    await drained
    vi.useRealTimers()
  })
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

  it('go at once when nothing was sent before', async () => {
    queue.push(delta('a', '1'))
    await pass(0)
    expect(sent).toEqual([['a.text 1']])
  })

  it('are joined for less than ten milliseconds', async () => {
    queue.push(delta('a', '1'))
    await pass(0)
    for (const text of ['2', '3', '4']) {
      queue.push(delta('a', text))
      await pass(2)
    }
    expect(sent).toEqual([['a.text 1']])
    await pass(2)
    expect(sent).toEqual([['a.text 1'], ['a.text 234']])
  })

  it('do not wait for more of a reply that ended, was dropped or was stopped', async () => {
    queue.push(delta('a', '1'))
    await pass(0)
    queue.push(delta('a', '2'))
    await pass(1)
    queue.push(dropped('a'))
    await pass(0)
    expect(sent).toEqual([['a.text 1'], ['a.text 2', 'message.dropped']])
  })

  it('go at once after a pause without events', async () => {
    queue.push(delta('a', '1'))
    await pass(50)
    queue.push(delta('a', '2'))
    await pass(0)
    expect(sent).toEqual([['a.text 1'], ['a.text 2']])
  })

  it('end with the client, even while a delta waits', async () => {
    queue.push(delta('a', '1'))
    await pass(0)
    queue.push(delta('a', '2'))
    stop.abort()
    await drained
    expect(sent).toEqual([['a.text 1']])
    expect(vi.getTimerCount()).toBe(0)
  })
})
