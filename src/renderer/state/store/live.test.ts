import { describe, expect, it } from 'vitest'
import type { CoppiceEvent } from '#shared/model/event.ts'
import { agentReply, callId, event, messageId, threadId } from './entries.testkit.ts'
import { emptyLive, foldLive, outputKey } from './live.ts'

const delta = (text: string, message = 'm1', part: 'text' | 'thinking' = 'text'): CoppiceEvent =>
  event(1, { type: 'message.delta', messageId: messageId(message), part, text })
const foldAll = (...events: readonly CoppiceEvent[]): ReturnType<typeof foldLive> => events.reduce(foldLive, emptyLive)

describe('live events', () => {
  it('joins the deltas of one message, text and thinking separately', () => {
    const state = foldAll(delta('why', 'm1', 'thinking'), delta('Hel'), delta('lo'))
    expect(state.streaming.get(threadId)).toEqual({ messageId: 'm1', text: 'Hello', thinking: 'why' })
  })

  it('starts over when another message streams', () => {
    expect(foldAll(delta('old'), delta('new', 'm2')).streaming.get(threadId)?.text).toBe('new')
  })

  it('shows nothing of a dropped message', () => {
    const dropped = event(1, { type: 'message.dropped', messageId: messageId('m1') })
    expect(foldAll(delta('half'), dropped).streaming.size).toBe(0)
  })

  it('ends with the message entry that holds the whole reply', () => {
    expect(foldAll(delta('Hello'), event(2, agentReply('m1', 'Hello'))).streaming.size).toBe(0)
  })

  it('drops an unfinished reply when the run ends without it', () => {
    const ended = event(2, { type: 'run.ended', status: 'stopped', reason: 'user', message: '' })
    expect(foldAll(delta('half'), ended).streaming.size).toBe(0)
  })

  it('shows a retry until the model speaks again', () => {
    const retrying = event(5, { type: 'model.retrying', attempt: 1, delayMs: 3000, reason: 'Rate limited.' })
    expect(foldAll(retrying).delays.get(threadId)).toMatchObject({ kind: 'retrying', until: 8000 })
    expect(foldAll(retrying, delta('Hi')).delays.size).toBe(0)
  })

  it('keeps the end of a long output and lets the result replace it', () => {
    const id = callId('c1')
    const output = (text: string): CoppiceEvent => event(1, { type: 'tool.output', callId: id, text })
    const running = foldAll(output('a'.repeat(30_000)), output('end'))
    const shown = running.outputs.get(outputKey(threadId, id)) ?? ''
    expect(shown).toHaveLength(20_000)
    expect(shown.endsWith('end')).toBe(true)
    const result = { outcome: 'ok', content: [] } as const
    const finished = event(2, { type: 'tool.finished', callId: id, name: 'execute', result, durationMs: 1, reads: [] })
    expect(foldLive(running, finished).outputs.size).toBe(0)
  })
})
