import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CoppiceEvent } from '#shared/model/event.ts'
import { foldEvents, initialState } from './app-state.ts'
import { agentReply, created, event, messageId, threadId, userMessage } from './entries.testkit.ts'

const story: readonly CoppiceEvent[] = [
  event(1, created),
  event(2, { type: 'run.started' }),
  event(3, userMessage('m1', 'Hello')),
  event(3, { type: 'message.delta', messageId: messageId('m2'), part: 'text', text: 'Hi' }),
  event(4, agentReply('m2', 'Hi')),
  event(5, { type: 'run.ended', status: 'done', reason: 'completed', message: '' }),
]

describe('folding events into the store', () => {
  it('ends with the whole conversation and without live state', () => {
    const state = foldEvents(initialState, story)
    expect(state.project.threads.get(threadId)).toMatchObject({ status: 'done', lastSequence: 5 })
    expect(state.live.streaming.size).toBe(0)
  })

  it('ignores entries that a reconnect sends again', () => {
    const once = foldEvents(initialState, story)
    const twice = foldEvents(once, story.slice(2, 4))
    expect(twice.project.threads.get(threadId)?.messages).toHaveLength(2)
    expect([...twice.timeline.messageTimes.values()]).toEqual([3000, 4000])
  })

  it('gives the same state however the events are split into frames', () => {
    const whole = foldEvents(initialState, story)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: story.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), story.length]
        const frames = places.slice(1).map((end, index) => story.slice(places[index], end))
        expect(frames.reduce(foldEvents, initialState)).toEqual(whole)
      }),
    )
  })
})
