import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '#core/ports/model-client.ts'
import type { TestFacts } from '../model-http/model-facts.testkit.ts'
import { serveModel, testServer } from '../model-http/model-server.testkit.ts'
import { createAnthropicClient } from './anthropic-client.ts'

/** Servers of other makers that speak the protocol, told apart by how they refuse a request. */
const request: ModelRequest = {
  model: 'm1',
  system: 'Be brief.',
  tools: [{ name: 'ls', description: 'Lists.', inputSchema: { type: 'object', properties: {} } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  maxTokens: 1000,
  temperature: null,
  effort: 'low',
}
const never = new AbortController().signal

type Reply = { readonly status: number; readonly body: unknown }

/** A server that refuses requests in its own words, with the bodies it received. */
async function serve(refusal: (body: string, path: string) => Reply | undefined, facts: TestFacts = {}) {
  const bodies: string[] = []
  const address = await serveModel((response, incoming, body) => {
    bodies.push(body)
    const refused = refusal(body, incoming.url ?? '')
    if (refused) {
      response.writeHead(refused.status, { 'content-type': 'application/json' })
      return response.end(typeof refused.body === 'string' ? refused.body : JSON.stringify(refused.body))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(plainAnswer)
  })
  return { bodies, client: createAnthropicClient(testServer(address, { facts })) }
}

const events = [
  { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]
const plainAnswer = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

type Served = Awaited<ReturnType<typeof serve>>
async function answer({ client }: Served, asked: ModelRequest = request): Promise<string> {
  for await (const event of client.stream(asked, never)) {
    if (event.type === 'reply')
      return event.reply.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }
  return ''
}

const makers: readonly (readonly [string, (part: string) => Reply])[] = [
  [
    'Ollama',
    (part) => ({
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message: `unknown field ${part}` } },
    }),
  ],
  ['LM Studio', (part) => ({ status: 400, body: { error: `Unrecognized key(s) in object: '${part}'` } })],
  [
    'OpenRouter',
    (part) => ({ status: 400, body: { error: { message: `Provider does not support ${part}`, code: 400 } } }),
  ],
  [
    'vLLM',
    (part) => ({
      status: 422,
      body: { detail: [{ loc: ['body', 'system', 0, part], msg: 'Extra inputs are not permitted' }] },
    }),
  ],
  [
    'LiteLLM',
    (part) => ({
      status: 400,
      body: { error: { message: `litellm.BadRequestError: ${part} is not allowed`, type: null, code: '400' } },
    }),
  ],
]

describe.each(makers)('a server that answers like %s', (_, refuse) => {
  it.each(['cache_control', 'thinking', 'output_config'])(
    'gets the same request without %s, and never gets it again',
    async (part) => {
      const served = await serve((body) => (body.includes(`"${part}"`) ? refuse(part) : undefined))
      expect([await answer(served), await answer(served)]).toEqual(['Hi.', 'Hi.'])
      expect(served.bodies.map((body) => body.includes(`"${part}"`))).toEqual([true, false, false])
    },
  )

  it('is quoted when it refuses for another reason', async () => {
    const served = await serve(() => refuse('model_size'))
    await expect(answer(served)).rejects.toThrow('model_size')
    expect(served.bodies).toHaveLength(1)
  })
})

it('lists nothing when a server has no list', async () => {
  const { client } = await serve(() => ({ status: 404, body: '404 page not found' }))
  expect(await client.models(never)).toEqual([])
})

it('reads a models list in the form of other makers', async () => {
  const list = { object: 'list', data: [{ id: 'qwen3:8b', object: 'model', owned_by: 'library' }] }
  const { client } = await serve((_, path) => (path.includes('/models') ? { status: 200, body: list } : undefined))
  expect(await client.models(never)).toMatchObject([{ id: 'qwen3:8b', name: 'qwen3:8b', contextWindow: null }])
})

it('says so when the list of models holds what is no model', async () => {
  const list = { object: 'list', data: [null] }
  const { client } = await serve((_, path) => (path.includes('/models') ? { status: 200, body: list } : undefined))
  await expect(client.models(never)).rejects.toThrow(/lists its models in a form that Coppice does not know/)
})

it('gets the schema of the answer, and is asked again without one that it refuses', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } } }
  const sentSchema = { ...outputSchema, additionalProperties: false }
  const { bodies, client } = await serve((body) =>
    body.includes('json_schema')
      ? {
          status: 400,
          body: { error: { type: 'invalid_request_error', message: 'output_config.format.schema: no' } },
        }
      : undefined,
  )
  for await (const _ of client.stream({ ...request, outputSchema }, never));
  const sent = bodies.map((body) => (JSON.parse(body) as { output_config?: unknown }).output_config)
  expect(sent).toEqual([{ effort: 'low', format: { type: 'json_schema', schema: sentSchema } }, { effort: 'low' }])
})

it('gets no schema where nobody promises answers that fit one', async () => {
  const { bodies, client } = await serve(() => undefined, { can: { schemas: false } })
  for await (const _ of client.stream({ ...request, outputSchema: { type: 'object' } }, never));
  expect(bodies.at(-1)).not.toContain('json_schema')
})

it('gets the same request once more without earlier thoughts when it takes them for forged, and thinks again later', async () => {
  const refusal = {
    status: 400,
    body: {
      error: {
        type: 'invalid_request_error',
        message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      },
    },
  }
  const served = await serve((body) => (body.includes('"signature"') ? refusal : undefined))
  const thought = { type: 'thinking', text: 'Hm.', signature: 'forged' } as const
  const reply = { role: 'assistant', content: [thought, { type: 'text', text: 'Yes.' }] } as const
  expect(await answer(served, { ...request, messages: [...request.messages, reply, ...request.messages] })).toBe('Hi.')
  expect(await answer(served)).toBe('Hi.')
  expect(
    served.bodies.map((body) => [body.includes('forged'), body.includes('"thinking":{'), body.includes('Yes.')]),
  ).toEqual([
    [true, true, true],
    [false, true, true],
    [false, true, false],
  ])
})

it('is quoted when it still speaks of a signature without one', async () => {
  const served = await serve(() => ({
    status: 400,
    body: { error: { message: 'Invalid signature in thinking block' } },
  }))
  await expect(answer(served)).rejects.toThrow('Invalid signature')
  expect(served.bodies).toHaveLength(1)
})

it('is never asked for a reply of more than half of what the model accepts', async () => {
  const served = await serve(() => undefined, { context: 1200 })
  await answer(served)
  expect(JSON.parse(served.bodies[0] ?? '')).toMatchObject({ max_tokens: 600 })
})
