import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ModelError, type ModelReply } from '#core/ports/model-client.ts'
import { message, usage } from '#shared/model/entry-parts.ts'
import { eventStream, serveModel, testRequest, testServer } from '../model-http/model-server.testkit.ts'
import { createOpenAiClient } from './openai-client.ts'
import { chunk, delta, done } from './openai-server.testkit.ts'

const never = new AbortController().signal

/** The reply of a server that sends these chunks, or what was thrown. */
async function replyTo(...chunks: readonly string[]): Promise<ModelReply> {
  const address = await serveModel(eventStream(chunks.join('') + done))
  for await (const event of createOpenAiClient(testServer(address)).stream(testRequest, never)) {
    if (event.type === 'reply') return event.reply
    expect(event.text).toBeTypeOf('string')
  }
  throw new Error('There was no reply.')
}

const calling = (...pieces: readonly object[]): readonly string[] => [
  ...pieces.map((piece) => delta({ tool_calls: [piece] })),
  delta({}, 'tool_calls'),
]
const callsOf = ({ content }: ModelReply) =>
  content.flatMap((part) => (part.type === 'tool_call' ? [[part.name, part.input]] : []))

describe('chat completions of a server that sends anything', () => {
  it('become a reply that the journal can keep, or an error of the model', async () => {
    const any = fc.jsonValue()
    const text = fc.oneof(any, fc.string())
    const piece = fc.oneof(
      any,
      fc.record(
        {
          index: fc.oneof(any, fc.nat(2)),
          id: fc.oneof(any, fc.string()),
          function: fc.oneof(any, fc.record({ name: fc.oneof(any, fc.constant('ls')), arguments: any })),
        },
        { requiredKeys: [] },
      ),
    )
    const change = fc.oneof(
      any,
      fc.record(
        {
          content: text,
          refusal: text,
          reasoning_content: text,
          reasoning_details: any,
          tool_calls: fc.oneof(any, fc.array(piece)),
        },
        { requiredKeys: [] },
      ),
    )
    const finish = fc.oneof(any, fc.constantFrom('stop', 'tool_calls', 'constructor', '__proto__'))
    const reported = fc.oneof(
      any,
      fc.record({ prompt_tokens: any, completion_tokens: any, prompt_tokens_details: any }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(change), finish, reported, async (changes, finish_reason, counted) => {
        const deltas = changes.map((one) => chunk({ choices: [{ index: 0, delta: one }] }))
        const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason }], usage: counted })
        const reply = await replyTo(...deltas, last).catch((error: unknown) => error)
        if (reply instanceof ModelError) return
        expect(message.safeParse({ role: 'assistant', messageId: 'm', ...(reply as ModelReply) }).error).toBeUndefined()
        expect(usage.safeParse((reply as ModelReply).usage).error).toBeUndefined()
      }),
    )
  })

  it.each([
    ['another id under the same index', { index: 0, id: 'a' }, { index: 0, id: 'b' }],
    ['another name under the same index, without ids', { index: 0 }, { index: 0 }],
    ['another name without index and id', {}, {}],
  ])('begin another call with %s', async (_, first, second) => {
    const reply = await replyTo(
      ...calling(
        { ...first, function: { name: 'ls', arguments: '{"path":"/a"}' } },
        { ...second, function: { name: 'read_file', arguments: '{"path":' } },
        { ...second, function: { arguments: '"/b"}' } },
      ),
    )
    expect(callsOf(reply)).toEqual([
      ['ls', { path: '/a' }],
      ['read_file', { path: '/b' }],
    ])
  })

  it('begin another call of the same tool once the first one is whole', async () => {
    const piece = (path: string) => ({ function: { name: 'ls', arguments: JSON.stringify({ path }) } })
    expect(callsOf(await replyTo(...calling(piece('/a'), piece('/b'))))).toEqual([
      ['ls', { path: '/a' }],
      ['ls', { path: '/b' }],
    ])
  })

  it('stay one call when id and name come with every piece', async () => {
    const piece = (json: string) => ({ index: 0, id: 'a', function: { name: 'ls', arguments: json } })
    expect(callsOf(await replyTo(...calling(piece('{"path":'), piece('"/a"}'))))).toEqual([['ls', { path: '/a' }]])
  })

  it('read arguments that are sent as an object', async () => {
    const reply = await replyTo(...calling({ index: 0, id: 'a', function: { name: 'ls', arguments: { path: '/a' } } }))
    expect(callsOf(reply)).toEqual([['ls', { path: '/a' }]])
  })

  it('join a text that is sent as a list of parts', async () => {
    const content = [
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'day.' },
    ]
    expect((await replyTo(delta({ content }), delta({}, 'stop'))).content).toEqual([
      { type: 'text', text: 'Good day.' },
    ])
  })

  it('take the details of reasoning for thoughts, and not twice', async () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.' }]
    const { content } = await replyTo(
      delta({ reasoning_details: details }),
      delta({ reasoning: ' Ah.', reasoning_details: [{ text: ' Ah.' }] }),
      delta({ content: 'Yes.' }, 'stop'),
    )
    expect(content).toEqual([
      expect.objectContaining({ type: 'thinking', text: 'Hm. Ah.', signature: '' }),
      { type: 'text', text: 'Yes.' },
    ])
  })
})
