import { expect, it } from 'vitest'
import type { Entry } from '#shared/model/entry.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { createEventHub } from './event-hub.ts'

const threadId = 'thread' as ThreadId
const entries = Array.from(
  { length: 600 },
  (_, at) => ({ type: 'thread.titled', title: '', threadId, sequence: at + 1, at }) as Entry,
)

function delta(text: string): CoppiceEvent {
  return { sequence: 600, threadId, at: 0, type: 'message.delta', messageId: 'm' as MessageId, part: 'text', text }
}

it('sends streamed text exactly once, however long the journal before it takes', async () => {
  const hub = createEventHub((after) => entries.slice(after))
  const stop = new AbortController()
  hub.publish(delta('one '))
  const stream = hub.subscribe(0, stop.signal)
  const seen = [...((await stream.next()).value ?? [])]
  hub.publish(delta('two '))
  let text = ''
  while (!text.endsWith('three')) {
    const events = (await stream.next()).value ?? []
    for (const event of events) if (event.type === 'message.delta') text += event.text
    if (events.some(({ type }) => type === 'message.delta') && !text.includes('three')) hub.publish(delta('three'))
    seen.push(...events.filter(({ type }) => type !== 'message.delta'))
  }
  stop.abort()
  expect(text).toBe('one two three')
  expect(seen.map(({ sequence }) => sequence)).toEqual(entries.map(({ sequence }) => sequence))
})

it('sends what a broken reply said to a page that connects while it is tried again', async () => {
  const hub = createEventHub(() => [])
  const live = async () => {
    const stop = new AbortController()
    const stream = hub.subscribe(0, stop.signal)
    const first = stream.next()
    hub.publish({ sequence: 600, threadId, at: 0, type: 'model.waiting', ahead: 0 })
    const events = (await first).value ?? []
    stop.abort()
    return events.map(({ type }) => type).filter((type) => type !== 'model.waiting')
  }
  hub.publish(delta('The answer is'))
  hub.publish({ sequence: 600, threadId, at: 0, type: 'message.dropped', messageId: 'm' as MessageId })
  expect(await live()).toEqual(['message.delta', 'message.dropped'])
  const message = { role: 'user', messageId: 'n' as MessageId, origin: 'person', content: [] } as const
  hub.publish({ type: 'message', message, threadId, sequence: 601, at: 0 })
  expect(await live()).toEqual([])
})
