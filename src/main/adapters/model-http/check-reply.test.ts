import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ModelError, type ModelReply } from '#core/ports/model-client.ts'
import { message, usage } from '#shared/model/entry-parts.ts'
import { checkReply, type SentPart, type SentReply } from './check-reply.ts'
import { factsOf } from './model-facts.testkit.ts'
import { testRequest } from './model-server.testkit.ts'

const prices = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2 }
const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
const check = (sent: Partial<SentReply>): ModelReply =>
  checkReply(
    { content: [{ type: 'text', text: 'Hi.' }], stopReason: 'end_turn', tokens: nothing, ...sent },
    testRequest,
    factsOf('m1', { prices }),
  )
const call = (id: unknown, name: unknown = 'ls'): SentPart => ({ type: 'tool_call', id, name, json: '{}' })
const idsOf = ({ content }: ModelReply) => content.map((part) => (part.type === 'tool_call' ? part.callId : ''))

describe('the check of a reply', () => {
  it('lets nothing through that the journal could not keep, whatever stands in the fields', () => {
    const any = fc.oneof(fc.jsonValue(), fc.string(), fc.double(), fc.constant(undefined))
    const part: fc.Arbitrary<SentPart> = fc.oneof(
      fc.record({ type: fc.constant('text' as const), text: any }),
      fc.record({ type: fc.constant('thinking' as const), text: any, signature: any }),
      fc.record({ type: fc.constant('redacted_thinking' as const), data: any }),
      fc.record({
        type: fc.constant('tool_call' as const),
        id: fc.oneof(any, fc.string({ minLength: 150, maxLength: 300 })),
        name: fc.oneof(any, fc.constant('ls')),
        json: fc.oneof(fc.json(), fc.string()),
      }),
    )
    const tokens = fc.record({ inputTokens: any, outputTokens: any, cacheReadTokens: any, cacheWriteTokens: any })
    fc.assert(
      fc.property(fc.array(part), tokens, (content, counts) => {
        try {
          const reply = check({ content, tokens: counts })
          message.parse({ role: 'assistant', messageId: 'm', ...reply })
          usage.parse(reply.usage)
        } catch (error) {
          expect(error).toBeInstanceOf(ModelError)
        }
      }),
    )
  })

  it.each([undefined, '', ' ', 7, null])('refuses a call whose tool is %j', (name) => {
    expect(() => check({ content: [call('a', name ?? null)] })).toThrow(expect.objectContaining({ code: 'malformed' }))
  })

  it('keeps the ids of calls, and replaces an id that is missing, too long or not unique', () => {
    const [first, ...others] = idsOf(check({ content: ['a', 'a', '', 7, 'x'.repeat(201)].map((id) => call(id)) }))
    expect(first).toBe('a')
    expect(new Set(others).size).toBe(4)
    for (const id of others) expect(id).toMatch(/^call_[\w-]{36}$/)
  })

  it('drops hidden thoughts without their data', () => {
    expect(check({ content: [{ type: 'redacted_thinking', data: undefined }] }).content).toEqual([])
  })

  it('reads counts that are texts or not whole, and takes others as not reported', () => {
    const tokens = { inputTokens: '12', outputTokens: 3.4, cacheReadTokens: -1, cacheWriteTokens: Number.NaN }
    expect(check({ tokens }).usage).toMatchObject({ ...nothing, inputTokens: 12, outputTokens: 3 })
  })

  it('estimates what a server does not count, and the cost by it', () => {
    const { usage: estimated } = check({ content: [{ type: 'text', text: 'x'.repeat(400) }] })
    const sent = JSON.stringify([testRequest.system, testRequest.tools, testRequest.messages]).length
    expect(estimated.inputTokens).toBe(Math.ceil(sent / 4))
    expect(estimated.outputTokens).toBeGreaterThanOrEqual(100)
    expect(estimated.outputTokens).toBeLessThan(105)
    const cost = (estimated.inputTokens * prices.input + estimated.outputTokens * prices.output) / 1_000_000
    expect(estimated.cost).toBeCloseTo(cost, 12)
  })

  it('estimates an image by what a model reads of it, and not by its data', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(400_000) } as const
    const messages = [{ role: 'user', content: [image] }] as const
    const { inputTokens } = checkReply(
      { content: [{ type: 'text', text: 'Hi.' }], stopReason: 'end_turn', tokens: nothing },
      { ...testRequest, messages },
      factsOf('m1'),
    ).usage
    expect(inputTokens).toBeGreaterThan(1_000)
    expect(inputTokens).toBeLessThan(3_000)
  })

  it('estimates nothing where the server counted, or the model said nothing', () => {
    const tokens = { ...nothing, cacheReadTokens: 9, outputTokens: 1 }
    expect(check({ tokens }).usage).toMatchObject(tokens)
    expect(check({ content: [] }).usage).toMatchObject(nothing)
  })
})
