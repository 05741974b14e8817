import { describe, expect, it } from 'vitest'
import { describeModelClient } from '#core/ports/model-client.contract.ts'
import type { ModelRequest, ModelStreamEvent } from '#core/ports/model-client.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import {
  type Answer,
  eventStream,
  serveModel,
  type TestServerOptions,
  testRequest,
  testServer,
} from '../model-http/model-server.testkit.ts'
import { createOpenAiClient } from './openai-client.ts'
import { chunk, chunksOf, delta, done, playOpenAi } from './openai-server.testkit.ts'

const never = new AbortController().signal

async function serve(answer: Answer, options: TestServerOptions = {}) {
  return createOpenAiClient(testServer(await serveModel(answer), options))
}

async function collect(client: ReturnType<typeof createOpenAiClient>, request: ModelRequest = testRequest) {
  const events: ModelStreamEvent[] = []
  for await (const one of client.stream(request, never)) events.push(one)
  return events
}

/** The bodies that a server got for requests, with an answer of one word. */
async function bodiesFor(request: Partial<ModelRequest>, options: TestServerOptions = {}) {
  const bodies: Record<string, unknown>[] = []
  const client = await serve((response, incoming, body) => {
    bodies.push(JSON.parse(body))
    playOpenAi({ text: 'Hi.' })(response, incoming, body)
  }, options)
  await collect(client, { ...testRequest, ...request })
  return bodies
}

const noOtherReasons = [] as const
describe.each([
  ['usage at the end', {}],
  ['no usage at all, and thoughts under another name', { usage: 'none', thoughts: 'reasoning' }],
  ['whole calls without an index, ended by stop', { wholeCalls: true, stopForCalls: true }],
] as const)('a server with %s', (name, style) => {
  describeModelClient(
    `chat completions with ${name}`,
    async (answer) => ({
      client: await serve(playOpenAi(answer, style)),
      [Symbol.asyncDispose]: async () => undefined,
    }),
    noOtherReasons,
  )
})

describe('the client of chat completions', () => {
  const whole = {
    thinking: 'Häm. 🤔',
    text: 'I will ‘look’. 🌱',
    calls: [{ id: 'a', name: 'ls', input: { path: '/ä 🌱' } }],
  }

  it.each([1, 37, 400, 1000])('reads a stream that is cut into %i pieces anywhere', async (pieces) => {
    const stream = [...chunksOf(whole), done].join('')
    const reply = (await collect(await serve(eventStream(stream, pieces)))).at(-1)
    expect(reply).toMatchObject({
      reply: {
        content: [
          { type: 'thinking', text: whole.thinking, signature: '' },
          { type: 'text', text: whole.text },
          { type: 'tool_call', callId: 'a', name: 'ls', input: { path: '/ä 🌱' } },
        ],
      },
    })
  })

  it('counts cached input apart, and prices it', async () => {
    const prices = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2 }
    const events = await collect(await serve(playOpenAi(whole), { facts: { prices } }))
    const cost = expect.closeTo((110 * 2 + 1000 * 0.1 + 50 * 10) / 1_000_000, 12)
    expect(events.at(-1)).toMatchObject({
      reply: { usage: { inputTokens: 110, cacheReadTokens: 1000, cacheWriteTokens: 0, outputTokens: 50, cost } },
    })
  })

  it('sends system, calls and results in the form of chat completions, and no cache marks', async () => {
    const callId = 'call_0b7e1c2a-58f6-4c6d-9f0e-0123456789ab' as ToolCallId
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const
    const [body] = await bodiesFor({
      effort: 'high',
      messages: [
        ...testRequest.messages,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'Hm.', signature: '' },
            { type: 'tool_call', callId, name: 'ls', input: { path: '/' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', callId, content: [{ type: 'text', text: 'nothing' }, image], isError: true },
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
    })
    const id = expect.stringMatching(/^call_[0-9a-f]{32}$/)
    expect(body).toMatchObject({
      model: 'm1',
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 1000,
      reasoning_effort: 'high',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Hm.',
          tool_calls: [{ id, type: 'function', function: { name: 'ls', arguments: '{"path":"/"}' } }],
        },
        { role: 'tool', tool_call_id: id, content: 'Error: nothing\nThe image of this result follows.' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
    })
    const { messages } = body as { messages: { tool_call_id?: string; tool_calls?: { id: string }[] }[] }
    expect(messages[3]?.tool_call_id).toBe(messages[2]?.tool_calls?.[0]?.id)
    expect(JSON.stringify(body)).not.toContain('cache_control')
  })

  it('asks for no thoughts, for a schema, and for no calls when it should', async () => {
    const outputSchema = { type: 'object', properties: {} }
    const [body] = await bodiesFor({ thinking: false, outputSchema, toolChoice: 'none' })
    expect(body).toMatchObject({
      reasoning_effort: 'none',
      tool_choice: 'none',
      response_format: { type: 'json_schema', json_schema: { schema: outputSchema } },
    })
  })

  it('asks for no schema where nobody promises answers that fit one, and for at most half of the window', async () => {
    const facts = { context: 1200, can: { schemas: false } }
    const [body] = await bodiesFor({ outputSchema: { type: 'object' } }, { facts })
    expect(body).not.toHaveProperty('response_format')
    expect(body).toMatchObject({ max_completion_tokens: 600 })
  })

  it('leaves out a schema that the server refuses, and still sends others', async () => {
    const sent: boolean[] = []
    const client = await serve((response, incoming, body) => {
      sent.push(body.includes('response_format'))
      if (!body.includes('"bad"')) return playOpenAi({ text: 'Hi.' })(response, incoming, body)
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: "Invalid schema for response_format 'answer': no 'bad'." } }))
    })
    const asking = (name: string) => ({ ...testRequest, outputSchema: { type: 'object', properties: { [name]: {} } } })
    for (const name of ['bad', 'bad', 'good']) await collect(client, asking(name))
    expect(sent).toEqual([true, false, false, true])
  })

  it('leaves out the field that the server names as unknown, whatever else it says', async () => {
    const bodies: string[] = []
    const client = await serve((response, incoming, body) => {
      bodies.push(body)
      if (!body.includes('reasoning_effort')) return playOpenAi({ text: 'Hi.' })(response, incoming, body)
      response.writeHead(400, { 'content-type': 'application/json' })
      const error = { message: 'No.', code: 'unsupported_parameter', param: 'reasoning_effort' }
      response.end(JSON.stringify({ error }))
    })
    await collect(client, { ...testRequest, effort: 'high' })
    expect(bodies.map((body) => body.includes('reasoning_effort'))).toEqual([true, false])
  })

  it('passes on that an effort is not supported, and still sends others', async () => {
    const client = await serve((response, incoming, body) => {
      if (!body.includes('"high"')) return playOpenAi({ text: body })(response, incoming, body)
      response.writeHead(400, { 'content-type': 'application/json' })
      const message = "Unsupported value: 'reasoning_effort' does not support 'high' with this model."
      response.end(JSON.stringify({ error: { message, code: 'unsupported_value', param: 'reasoning_effort' } }))
    })
    await expect(collect(client, { ...testRequest, effort: 'high' })).rejects.toThrow("does not support 'high'")
    const [said] = await collect(client, { ...testRequest, effort: 'low' })
    expect(said).toMatchObject({ text: expect.stringContaining('"reasoning_effort":"low"') })
  })

  it('says in place of an image that the model reads none', async () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const
    const messages = [{ role: 'user', content: [image] }] as const
    const [body] = await bodiesFor({ messages }, { facts: { can: { images: false } } })
    expect(JSON.stringify(body)).not.toContain('AAAA')
    expect(JSON.stringify(body)).toContain('does not read images')
  })

  it.each([
    ['stream_options', {}],
    ['reasoning_effort', { effort: 'low' }],
    ['temperature', { temperature: 0.5 }],
    ['max_completion_tokens', {}],
    ['response_format', { outputSchema: { type: 'object' } }],
    ['tool_choice', { toolChoice: 'none' }],
    [
      'reasoning_content',
      {
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', text: 'Hm.', signature: '' },
              { type: 'text', text: 'Yes.' },
            ],
          },
        ],
      },
    ],
  ] as const)('leaves out %s for a server that refuses it, and never sends it again', async (part, request) => {
    const bodies: string[] = []
    const client = await serve((response, incoming, body) => {
      bodies.push(body)
      if (!body.includes(`"${part}"`)) return playOpenAi({ text: 'Hi.' })(response, incoming, body)
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ error: { message: `Unsupported parameter: '${part}' is not supported with this model.` } }),
      )
    })
    const asked = { ...testRequest, ...request } as ModelRequest
    await collect(client, asked)
    await collect(client, asked)
    expect(bodies.map((body) => body.includes(`"${part}"`))).toEqual([true, false, false])
  })

  it.each([
    [
      'a spent account',
      429,
      { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } },
      'forbidden',
    ],
    [
      'a long conversation',
      400,
      { error: { message: 'Too long.', code: 'context_length_exceeded' } },
      'context_window_exceeded',
    ],
    [
      'an unknown model',
      404,
      { error: { message: 'The model `x` does not exist', code: 'model_not_found' } },
      'not_found',
    ],
    ['a rate limit', 429, { error: { message: 'Slow down.', code: 'rate_limit_exceeded' } }, 'rate_limited'],
  ])('reads %s as what it is, with the words of the server', async (_, status, body, code) => {
    const client = await serve((response) =>
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' }).end(JSON.stringify(body)),
    )
    await expect(collect(client)).rejects.toMatchObject({
      code,
      retryAfterMs: 7000,
      message: expect.stringContaining(body.error.message),
    })
  })

  it('reads an error inside the stream', async () => {
    const stream = delta({ content: 'So' }) + chunk({ error: { code: 429, message: 'Upstream is busy.' }, choices: [] })
    await expect(collect(await serve(eventStream(stream)))).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('Upstream is busy.'),
    })
  })

  it('never makes a call of one that the limit of the reply cut off', async () => {
    const stream =
      delta({ content: 'I will ' }) +
      delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'ls', arguments: '{"pa' } }] }) +
      delta({}, 'length') +
      done
    const reply = (await collect(await serve(eventStream(stream)))).at(-1)
    expect(reply).toMatchObject({
      reply: { stopReason: 'max_tokens', content: [{ type: 'text', text: 'I will ' }] },
    })
  })

  it.each([
    ['a web page', 'text/html', '<html><title>Sign in</title></html>', 'not_found', /web page/],
    ['a whole document', 'application/json', '{"choices":[]}', 'bad_request', /does not stream/],
  ])('says so when %s comes in place of a stream', async (_, type, body, code, words) => {
    const client = await serve((response) => response.writeHead(200, { 'content-type': type }).end(body))
    await expect(collect(client)).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
  })

  it('lists models with the window and prices that the server gives, and none where there is no list', async () => {
    const data = [
      { id: 'a/b', name: 'B', context_length: 64_000, pricing: { prompt: '0.000002', completion: '0.00001' } },
    ]
    const listing = await serve((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data })),
    )
    expect(await listing.models(never)).toMatchObject([
      {
        id: 'a/b',
        name: 'B',
        contextWindow: 64_000,
        prices: { input: expect.closeTo(2, 9), output: expect.closeTo(10, 9) },
      },
    ])
    const missing = await serve((response) => response.writeHead(404).end(''))
    expect(await missing.models(never)).toEqual([])
  })

  it('says so when the list of models holds what is no model', async () => {
    const client = await serve((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[null]}'),
    )
    await expect(client.models(never)).rejects.toThrow(/lists its models in a form that Coppice does not know/)
  })

  it('asks for the models only where the settings say, whatever address it is led to', async () => {
    let asked = 0
    const other = await serveModel((response) => {
      asked += 1
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
    })
    const client = await serve((response) => response.writeHead(307, { location: `${other}/models` }).end())
    await expect(client.models(never)).rejects.toThrow(/redirects|leads/)
    expect(asked).toBe(0)
  })
})
