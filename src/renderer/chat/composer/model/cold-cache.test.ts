import { describe, expect, it } from 'vitest'
import { LayeredMap } from '#shared/base/layered-map.ts'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import type { MessageId } from '#shared/model/ids.ts'
import type { AssistantMessage } from '#shared/model/message.ts'
import type { ModelAbilities } from '#shared/model/models/model-facts.ts'
import { cacheEnd, findColdRead } from './cold-cache.ts'

const can: ModelAbilities = {
  ...{ tools: true, images: true, thinking: 'none', efforts: [], caching: true, temperature: true, schemas: true },
}
const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
const claude: ModelChoice = { id: 'claude', name: 'Claude', contextWindow: 200_000, can, price }
const reply: AssistantMessage = {
  ...{ role: 'assistant', messageId: 'a' as MessageId, content: [], stopReason: 'end_turn', model: 'claude' },
}
const thread = { messages: [reply], contextTokens: 84_000, model: 'claude' }
const cold = { end: 1_000, now: 1_000 }

describe('the end of a cache', () => {
  it('is five minutes after the last reply', () => {
    const times = LayeredMap.empty<MessageId, number>().with(reply.messageId, 1_000)
    expect(cacheEnd(thread, times)).toBe(301_000)
  })

  it('is unknown before the first reply, and for a reply without a time', () => {
    expect(cacheEnd({ messages: [] }, LayeredMap.empty())).toBeNull()
    expect(cacheEnd(thread, LayeredMap.empty())).toBeNull()
  })
})

describe('a cold read', () => {
  it('costs as much as writing the whole conversation to the cache', () => {
    expect(findColdRead(thread, claude, cold)).toEqual({ tokens: 84_000, cost: 0.315, because: 'time' })
  })

  it('is none while the cache is warm', () => {
    expect(findColdRead(thread, claude, { ...cold, now: 999 })).toBeNull()
  })

  it('comes at once with another model, also with one that stands in', () => {
    const warm = { ...cold, now: 0 }
    expect(findColdRead({ ...thread, model: 'opus' }, claude, warm)?.because).toBe('model')
    const fallback = { from: 'claude', model: 'opus', reason: '', failed: [], after: 1 }
    expect(findColdRead({ ...thread, fallback }, claude, warm)?.because).toBe('model')
    const unknown = { ...thread, model: 'opus', messages: [{ ...reply, model: undefined }] }
    expect(findColdRead(unknown, claude, warm)).toBeNull()
  })

  it('counts tokens where the price is unknown', () => {
    expect(findColdRead(thread, { ...claude, price: null }, cold)?.cost).toBeNull()
  })

  it.each([
    ['a short conversation', { contextTokens: 19_999 }, {}],
    ['one that nobody counted', { contextTokens: null }, {}],
    ['a model without a cache', {}, { can: { ...can, caching: false } }],
    ['a model of which nothing is known', {}, { can: undefined }],
    ['a model that costs nothing', {}, { price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }],
    ['less than a cent', {}, { price: { input: 0.1, output: 0.1, cacheRead: 0.1, cacheWrite: 0.1 } }],
  ])('is none for %s', (_, state, facts) => {
    expect(findColdRead({ ...thread, ...state }, { ...claude, ...facts } as ModelChoice, cold)).toBeNull()
  })

  it('is none for an unknown model and a thread without a request', () => {
    expect(findColdRead(thread, undefined, cold)).toBeNull()
    expect(findColdRead(thread, claude, { end: null, now: 9e12 })).toBeNull()
  })
})
