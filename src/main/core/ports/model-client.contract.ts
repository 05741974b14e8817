import { describe, expect, it } from 'vitest'
import type { ScriptedAnswer } from './model-client.testkit.ts'
import { type ModelClient, ModelError, type ModelRequest, type ModelStreamEvent } from './model-client.ts'

/** A client whose provider answers every request in this way. Disposed with the test. */
export interface ModelUnderTest extends AsyncDisposable {
  readonly client: ModelClient
}

const never = new AbortController().signal
const request: ModelRequest = {
  model: 'any',
  system: 'Be brief.',
  tools: [{ name: 'ls', description: 'Lists.', inputSchema: { type: 'object', properties: {} } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  maxTokens: 1000,
  temperature: null,
  effort: null,
}

const whole: ScriptedAnswer = {
  thinking: 'I look first. ',
  text: 'I will look at the files.',
  calls: [
    { id: 'call_1', name: 'ls', input: { path: '/ä "b"', deep: [1, { two: null }] } },
    { id: 'call_2', name: 'ls', input: {} },
  ],
}

/** Collects what was streamed, and what ended the stream. */
async function collect({ client }: ModelUnderTest, signal = never) {
  const events: ModelStreamEvent[] = []
  try {
    for await (const event of client.stream(request, signal)) events.push(event)
    return { events, error: undefined }
  } catch (error) {
    return { events, error }
  }
}

const streamed = (events: readonly ModelStreamEvent[], type: 'text' | 'thinking') =>
  events.map((event) => (event.type === type ? event.text : '')).join('')

/** Why a reply may end, in every protocol or in some. */
const commonReasons = ['end_turn', 'max_tokens', 'refusal'] as const
const otherReasons = ['stop_sequence', 'pause_turn'] as const

/** What every client must do with an answer. `reasons`: those that its protocol has beside the common ones. */
export function describeModelClient(
  name: string,
  create: (answer: ScriptedAnswer) => Promise<ModelUnderTest>,
  reasons: readonly (typeof otherReasons)[number][] = otherReasons,
): void {
  describe(`ModelClient: ${name}`, () => {
    it('streams thinking and text, and ends with the whole reply, once', async () => {
      await using under = await create(whole)
      const { events, error } = await collect(under)
      expect(error).toBeUndefined()
      expect([streamed(events, 'thinking'), streamed(events, 'text')]).toEqual([whole.thinking, whole.text])
      expect(events.map(({ type }) => type === 'reply')).toEqual(events.map((_, index) => index === events.length - 1))
      expect(events.at(-1)).toMatchObject({
        reply: {
          content: [
            { type: 'thinking', text: whole.thinking },
            { type: 'text', text: whole.text },
            { type: 'tool_call', callId: 'call_1', name: 'ls', input: { path: '/ä "b"', deep: [1, { two: null }] } },
            { type: 'tool_call', callId: 'call_2', name: 'ls', input: {} },
          ],
          stopReason: 'tool_use',
          usage: { modelCalls: 1 },
        },
      })
    })

    it.each([...commonReasons, ...reasons])('reports that a reply ended by %s', async (stopReason) => {
      await using under = await create({ text: 'So far.', stopReason })
      expect((await collect(under)).events.at(-1)).toMatchObject({
        type: 'reply',
        reply: { content: [{ type: 'text', text: 'So far.' }], stopReason },
      })
    })

    it('returns an empty reply as a reply', async () => {
      await using under = await create({})
      expect((await collect(under)).events).toMatchObject([
        { type: 'reply', reply: { content: [], stopReason: 'end_turn' } },
      ])
    })

    it.each([0, 1, 2, 3, 4, 5])(
      'returns no reply when the stream is cut after %i events, and may be asked again',
      async (afterEvents) => {
        await using under = await create({ ...whole, fault: { afterEvents, with: 'cut' } })
        const { events, error } = await collect(under)
        expect(error).toBeInstanceOf(ModelError)
        expect(error).toMatchObject({ retryable: true })
        expect(events.filter(({ type }) => type === 'reply')).toEqual([])
      },
    )

    it.each([
      ['unauthorized', false],
      ['forbidden', false],
      ['not_found', false],
      ['bad_request', false],
      ['rate_limited', true],
      ['overloaded', true],
      ['server', true],
    ] as const)('fails with %s when its provider answers so', async (code, retryable) => {
      await using under = await create({ fault: { afterEvents: 0, with: code } })
      const { events, error } = await collect(under)
      expect({ events, error }).toMatchObject({ events: [], error: { name: 'ModelError', code, retryable } })
    })

    it('passes on how long its provider asks to wait', async () => {
      await using under = await create({ fault: { afterEvents: 0, with: 'rate_limited', retryAfterMs: 7_000 } })
      expect((await collect(under)).error).toMatchObject({ code: 'rate_limited', retryAfterMs: 7_000 })
    })

    it('rejects with the reason of the signal, before the request and while it waits', async () => {
      await using under = await create({ text: 'One moment. ', until: new Promise(() => {}) })
      expect(await collect(under, AbortSignal.abort('before'))).toEqual({ events: [], error: 'before' })
      const controller = new AbortController()
      const events = under.client.stream(request, controller.signal)[Symbol.asyncIterator]()
      expect(await events.next()).toMatchObject({ value: { type: 'text' } })
      const waiting = events.next()
      controller.abort('stopped')
      await expect(waiting).rejects.toBe('stopped')
    })
  })
}
