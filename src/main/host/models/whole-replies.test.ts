import { describe, expect, it } from 'vitest'
import { createAnthropicClient } from '#adapters/anthropic/anthropic-client.ts'
import * as messages from '#adapters/anthropic/anthropic-server.testkit.ts'
import {
  type Answer,
  eventStream,
  serveModel,
  testRequest,
  testServer,
} from '#adapters/model-http/model-server.testkit.ts'
import { createOpenAiClient } from '#adapters/openai/openai-client.ts'
import * as completions from '#adapters/openai/openai-server.testkit.ts'
import { ModelError, type ModelReply } from '#core/ports/model-client.ts'

/** A reply of text and calls, each with its arguments as text, in the words of one protocol. */
interface Sent {
  readonly text?: string
  readonly calls?: readonly string[]
  readonly end: string | null
}

/** How a stream ends after the reply. */
type Close = 'usual' | 'nothing' | 'broken' | 'done' | 'noise'

interface Wire {
  readonly events: (sent: Sent) => string
  readonly last: string
  readonly client: typeof createAnthropicClient
}

const wires: Readonly<Record<string, Wire>> = {
  messages: {
    client: createAnthropicClient,
    last: messages.event('message_stop', {}),
    events: ({ text, calls = [], end }) => {
      const first = text === undefined ? [] : [{ type: 'text', text }]
      const blocks = [
        ...first,
        ...calls.map((json, at) => ({ type: 'tool_use', id: `c${at}`, name: 'ls', input: {}, json })),
      ]
      const said = blocks.map(({ ...block }, at) => {
        const json = 'json' in block ? messages.delta(at, { type: 'input_json_delta', partial_json: block.json }) : ''
        return messages.blockStart(at, block) + json + messages.blockStop(at)
      })
      const stop = end === null ? '' : messages.event('message_delta', { delta: { stop_reason: end } })
      return messages.started + said.join('') + stop
    },
  },
  completions: {
    client: createOpenAiClient,
    last: completions.done,
    events: ({ text, calls = [], end }) => {
      const pieces = calls.map((json, index) => ({ index, id: `c${index}`, function: { name: 'ls', arguments: json } }))
      const said = [
        ...(text === undefined ? [] : [{ content: text }]),
        ...pieces.map((piece) => ({ tool_calls: [piece] })),
      ]
      return said.map((one) => completions.delta(one)).join('') + (end === null ? '' : completions.delta({}, end))
    },
  },
}

const never = new AbortController().signal
const path = '{"path":"/"}'

const closing =
  ({ last }: Wire, close: Close, events: string): Answer =>
  (response, request, body) => {
    const ends: Readonly<Record<Close, string>> = {
      ...{ usual: last, nothing: '', broken: '', done: 'data: [DONE]\n\n' },
      noise: 'event: content_block_delta\ndata: [DONE\n\n',
    }
    if (close !== 'broken') return eventStream(events + ends[close])(response, request, body)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(events, () => setImmediate(() => response.destroy()))
  }

/** What became of the reply: its texts, the names and arguments of its calls, its end; or the code of the error. */
async function readReply(wire: Wire, sent: Sent, close: Close = 'usual') {
  const address = await serveModel(closing(wire, close, wire.events(sent)))
  try {
    for await (const event of wire.client(testServer(address)).stream(testRequest, never))
      if (event.type === 'reply') return describeReply(event.reply)
    throw new Error('There was no reply.')
  } catch (error) {
    if (error instanceof ModelError) return error.code
    throw error
  }
}

const describeReply = ({ content, stopReason }: ModelReply): readonly unknown[] => [
  ...content.map((part) => (part.type === 'text' ? part.text : part.type === 'tool_call' ? part.input : part.type)),
  stopReason,
]

describe.each(Object.entries(wires))('a reply in the form of %s', (_, wire) => {
  it.each([
    'tool_use',
    'tool_calls',
    'function_call',
    'end_turn',
    'stop',
    'STOP',
    'eos',
    'eos_token',
    'COMPLETE',
    'length',
    'max_tokens',
    'MAX_TOKENS',
    'model_length',
    'stop_sequence',
    'pause_turn',
    'something_new',
  ])('has its whole calls when it ended by %s', async (end) => {
    expect(await readReply(wire, { text: 'I look.', calls: [path, path], end })).toEqual([
      'I look.',
      { path: '/' },
      { path: '/' },
      'tool_use',
    ])
  })

  it.each(['length', 'max_tokens', 'MAX_TOKENS', 'something_new'])('loses only the call that %s cut', async (end) => {
    for (const cut of ['{"path":"/a', '', '{'])
      expect(await readReply(wire, { calls: [path, cut], end })).toEqual([{ path: '/' }, 'tool_use'])
  })

  it.each(['refusal', 'content_filter', 'SAFETY'])(
    'does not wait for its calls when it was refused by %s',
    async (end) => {
      expect(await readReply(wire, { text: 'No.', calls: [path], end })).toEqual(['No.', { path: '/' }, 'refusal'])
    },
  )

  it.each([
    ['stop', 'end_turn'],
    ['STOP', 'end_turn'],
    ['eos', 'end_turn'],
    ['length', 'max_tokens'],
    ['MAX_TOKENS', 'max_tokens'],
    ['SAFETY', 'refusal'],
    ['something_new', 'unknown'],
  ])('that is text and ended by %s ended as %s', async (end, reason) => {
    expect(await readReply(wire, { text: 'Done.', end })).toEqual(['Done.', reason])
  })

  it.each(['error', 'insufficient_system_resource', 'MALFORMED_FUNCTION_CALL'])(
    'is asked for again when it ended by %s',
    async (end) => {
      expect(await readReply(wire, { text: 'Half of', end })).toBe('cut')
    },
  )

  // Mutation: if the reader goes on after the end, each of these is asked for again.
  it.each<Close>(['nothing', 'broken', 'done', 'noise'])('is whole after its end, and then %s', async (close) => {
    expect(await readReply(wire, { text: 'Done.', end: 'stop' }, close)).toEqual(['Done.', 'end_turn'])
    expect(await readReply(wire, { calls: [path], end: 'stop' }, close)).toEqual([{ path: '/' }, 'tool_use'])
  })

  it('is whole without a reason when the stream says that it is over', async () => {
    expect(await readReply(wire, { text: 'Done.', end: null })).toEqual(['Done.', 'end_turn'])
    expect(await readReply(wire, { calls: [path], end: null })).toEqual([{ path: '/' }, 'tool_use'])
    expect(await readReply(wire, { text: 'Done.', end: null }, 'done')).toEqual(['Done.', 'end_turn'])
  })

  it.each<Close>(['nothing', 'broken'])('is not whole when nothing says that it ended, and then %s', async (close) => {
    expect(await readReply(wire, { text: 'Half of', end: null }, close)).toBe('cut')
    expect(await readReply(wire, { calls: [path], end: null }, close)).toBe('cut')
  })

  it('may speak of the end in its text', async () => {
    expect(await readReply(wire, { text: 'data: [DONE]', end: null }, 'nothing')).toBe('cut')
    expect(await readReply(wire, { text: 'It ends with data: [DONE]\n\n', end: 'stop' })).toEqual([
      'It ends with data: [DONE]\n\n',
      'end_turn',
    ])
  })
})

describe('a reply over completions in the words of other times', () => {
  const asked = { name: 'ls', arguments: '{"path":"/"}' }
  const read = async (stream: string) => {
    const address = await serveModel(eventStream(stream, 3))
    for await (const event of createOpenAiClient(testServer(address)).stream(testRequest, new AbortController().signal))
      if (event.type === 'reply') return [event.reply.stopReason, ...event.reply.content.map(({ type }) => type)]
    return []
  }
  const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`

  // Mutation: without them, the reply has nothing in it, and the model is told that it said nothing.
  it.each([
    ['the one call of the first years', chunk({ delta: { function_call: asked }, finish_reason: 'function_call' })],
    [
      'that call in pieces',
      `${chunk({ delta: { function_call: { name: 'ls', arguments: '{"path"' } } })}${chunk({ delta: { function_call: { arguments: ':"/"}' } }, finish_reason: 'stop' })}`,
    ],
    [
      'a whole message in place of its pieces',
      chunk({ message: { tool_calls: [{ id: 'a', type: 'function', function: asked }] }, finish_reason: 'stop' }),
    ],
  ])('is whole: %s', async (_, stream) => {
    expect(await read(`${stream}data: [DONE]\n\n`)).toEqual(['tool_use', 'tool_call'])
  })
})
