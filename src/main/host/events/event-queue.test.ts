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

describe('joining the pieces of replies', () => {
  it('makes one of what is between two other events, for each reply', () => {
    const events = [delta('a', '1'), delta('b', '2'), delta('a', '3'), dropped('a'), delta('a', '4'), delta('a', '5')]
    expect(joinDeltas(events).map(line)).toEqual(['a.text 13', 'b.text 2', 'message.dropped', 'a.text 45'])
  })

  it('keeps what is thought and what is said in the order they came', () => {
    const events = [
      delta('a', '1', 'thinking'),
      delta('a', '2', 'thinking'),
      delta('a', '3'),
      delta('a', '4', 'thinking'),
    ]
    expect(joinDeltas(events).map(line)).toEqual(['a.thinking 12', 'a.text 3', 'a.thinking 4'])
  })

  it('tells each reply, and everybody who waits for another event, the same in the same order', () => {
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

/** What is heard of a reply between all other events, however it is cut. */
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

describe('events on their way to a client', () => {
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

  it('go at once when nothing went before', async () => {
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

  it('wait for no more of a reply that ends, is dropped, or is stopped', async () => {
    queue.push(delta('a', '1'))
    await pass(0)
    queue.push(delta('a', '2'))
    await pass(1)
    queue.push(dropped('a'))
    await pass(0)
    expect(sent).toEqual([['a.text 1'], ['a.text 2', 'message.dropped']])
  })

  it('go at once after a pause in which nothing came', async () => {
    queue.push(delta('a', '1'))
    await pass(50)
    queue.push(delta('a', '2'))
    await pass(0)
    expect(sent).toEqual([['a.text 1'], ['a.text 2']])
  })

  it('end with the client, also while a piece waits', async () => {
    queue.push(delta('a', '1'))
    await pass(0)
    queue.push(delta('a', '2'))
    stop.abort()
    await drained
    expect(sent).toEqual([['a.text 1']])
    expect(vi.getTimerCount()).toBe(0)
  })
})
