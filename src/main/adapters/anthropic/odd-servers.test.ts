import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ModelError, type ModelReply } from '#core/ports/model-client.ts'
import { message, usage } from '#shared/model/entry-parts.ts'
import { eventStream, serveModel, testRequest, testServer } from '../model-http/model-server.testkit.ts'
import { createAnthropicClient } from './anthropic-client.ts'
import { blockStart, blockStop, delta, event, started, stopped } from './anthropic-server.testkit.ts'

const never = new AbortController().signal

/** The reply of a server that sends these events, or what was thrown. */
async function replyTo(...events: readonly string[]): Promise<ModelReply> {
  const address = await serveModel(eventStream(events.join('')))
  for await (const one of createAnthropicClient(testServer(address)).stream(testRequest, never)) {
    if (one.type === 'reply') return one.reply
    expect(one.text).toBeTypeOf('string')
  }
  throw new Error('There was no reply.')
}

it('turns whatever a server sends into a reply that the journal can keep, or an error of the model', async () => {
  const any = fc.jsonValue()
  const text = fc.oneof(any, fc.string())
  const block = fc.oneof(
    any,
    fc.record({ type: fc.constant('text'), text }, { requiredKeys: ['type'] }),
    fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }, { requiredKeys: ['type'] }),
    fc.record({ type: fc.constant('redacted_thinking'), data: text }, { requiredKeys: ['type'] }),
    fc.record({ type: fc.constant('tool_use'), id: text, name: text, input: any }, { requiredKeys: ['type'] }),
  )
  const change = fc.oneof(
    any,
    fc.record({ type: fc.constant('text_delta'), text }, { requiredKeys: ['type'] }),
    fc.record({ type: fc.constant('thinking_delta'), thinking: text }, { requiredKeys: ['type'] }),
    fc.record({ type: fc.constant('signature_delta'), signature: text }, { requiredKeys: ['type'] }),
    fc.record({ type: fc.constant('input_json_delta'), partial_json: any }, { requiredKeys: ['type'] }),
  )
  const counts = fc.oneof(any, fc.record({ input_tokens: any, output_tokens: any, cache_read_input_tokens: any }))
  const reason = fc.oneof(any, fc.constantFrom('end_turn', 'tool_use', 'constructor', '__proto__'))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(block, fc.array(change))),
      counts,
      reason,
      async (blocks, counted, stop_reason) => {
        const reply = await replyTo(
          event('message_start', { message: { usage: counted } }),
          ...blocks.flatMap(([content, changes], index) => [
            event('content_block_start', { index, content_block: content }),
            ...changes.map((one) => event('content_block_delta', { index, delta: one })),
            blockStop(index),
          ]),
          event('message_delta', { delta: { stop_reason }, usage: counted }),
          event('message_stop', {}),
        ).catch((error: unknown) => error)
        if (reply instanceof ModelError) return
        expect(message.safeParse({ role: 'assistant', messageId: 'm', ...(reply as ModelReply) }).error).toBeUndefined()
        expect(usage.safeParse((reply as ModelReply).usage).error).toBeUndefined()
      },
    ),
  )
})

it('counts a piece of text without its text as nothing', async () => {
  const { content } = await replyTo(
    started,
    blockStart(0, { type: 'text' }),
    delta(0, { type: 'text_delta' }),
    delta(0, { type: 'text_delta', text: 'Hi.' }),
    blockStop(0),
    stopped('end_turn'),
  )
  expect(content).toEqual([{ type: 'text', text: 'Hi.' }])
})

it('reads the input of a call that is sent as text with its start', async () => {
  const call = { type: 'tool_use', id: 'a', name: 'ls', input: '{"path":"/"}' }
  const { content } = await replyTo(started, blockStart(0, call), blockStop(0), stopped('tool_use'))
  expect(content).toEqual([{ type: 'tool_call', callId: 'a', name: 'ls', input: { path: '/' } }])
})

it('keeps a count that a later report leaves out or spoils', async () => {
  const reply = await replyTo(
    started,
    event('message_delta', {
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 'many', output_tokens: '50' },
    }),
  )
  expect(reply.usage).toMatchObject({ inputTokens: 10, outputTokens: 50 })
})

// Mutation: keep blocks by their index alone.
it('keeps each block of a server that gives all of them the same index', async () => {
  const { content } = await replyTo(
    started,
    blockStart(0, { type: 'text', text: 'Look.' }),
    blockStop(0),
    blockStart(0, { type: 'tool_use', id: 'a', name: 'ls', input: {} }),
    blockStop(0),
    blockStart(0, { type: 'tool_use', id: 'b', name: 'ls', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: '{"path":"/"}' }),
    blockStop(0),
    stopped('tool_use'),
  )
  expect(content).toEqual([
    { type: 'text', text: 'Look.' },
    { type: 'tool_call', callId: 'a', name: 'ls', input: {} },
    { type: 'tool_call', callId: 'b', name: 'ls', input: { path: '/' } },
  ])
})
