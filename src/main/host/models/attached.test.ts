import { describe, expect, it } from 'vitest'
import { createAnthropicClient } from '#adapters/anthropic/anthropic-client.ts'
import { playAnthropic } from '#adapters/anthropic/anthropic-server.testkit.ts'
import {
  type Answer,
  eventStream,
  serveModel,
  testRequest,
  testServer,
} from '#adapters/model-http/model-server.testkit.ts'
import { createOpenAiClient } from '#adapters/openai/openai-client.ts'
import { delta, done, playOpenAi } from '#adapters/openai/openai-server.testkit.ts'
import type { ModelClient, ModelReply, ModelRequest, RequestMessage } from '#core/ports/model-client.ts'
import { createDialect } from '#core/ports/model-server.ts'
import { message as messageSchema } from '#shared/model/entry-parts.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { createThoughtCarrier } from './carry-thoughts.ts'

const never = new AbortController().signal

async function ask(client: ModelClient, request: Partial<ModelRequest> = {}): Promise<ModelReply> {
  for await (const event of client.stream({ ...testRequest, ...request }, never))
    if (event.type === 'reply') return event.reply
  throw new Error('There was no reply.')
}

/** The messages that a server gets after it sent a reply in these pieces, as the journal kept it, for a model. */
async function sentBack(pieces: readonly object[], mode: 'signed' | 'all' | 'as_text' = 'signed', model = 'gate/m1') {
  const bodies: { readonly messages: readonly Record<string, unknown>[] }[] = []
  const address = await serveModel((response, request, body) => {
    bodies.push(JSON.parse(body))
    const said = [...pieces.map((piece) => delta(piece)), delta({}, 'tool_calls'), done].join('')
    eventStream(said, 7)(response, request, body)
  })
  const client = createOpenAiClient(testServer(address))
  const kept = messageSchema.parse({ role: 'assistant', messageId: 'm', ...(await ask(client)) })
  const content = kept.role === 'assistant' ? kept.content : []
  const results = content.flatMap((part) =>
    part.type === 'tool_call'
      ? [{ type: 'tool_result', callId: part.callId, content: [], isError: false } as const]
      : [],
  )
  const messages: readonly RequestMessage[] = [
    ...testRequest.messages,
    { role: 'assistant', content, from: 'gate/m1' },
    { role: 'user', content: results },
  ]
  await ask(client, { messages: createThoughtCarrier(mode)(messages, model) })
  return bodies[1]?.messages.find(({ role }) => role === 'assistant') ?? {}
}

const call = (id: string, more: object = {}) => ({
  tool_calls: [{ index: id === 'a' ? 0 : 1, id, type: 'function', function: { name: 'ls', arguments: '{}' }, ...more }],
})
const google = { extra_content: { google: { thought_signature: 'c2lnbmVk' } } }
const sealed = { type: 'reasoning.encrypted', data: 'b3BlbiBtZQ==', format: 'maker-v1', index: 1 }
const details = [{ type: 'reasoning.text', text: 'Hm. Yes.', signature: 'proof', format: 'maker-v1', index: 0 }, sealed]
const inPieces = [
  { reasoning_details: [{ type: 'reasoning.text', text: 'Hm. ', format: 'maker-v1', index: 0, signature: null }] },
  { reasoning_details: [{ type: 'reasoning.text', text: 'Yes.', index: 0 }] },
  { reasoning_details: [{ type: 'reasoning.text', signature: 'proof', index: 0 }] },
  { reasoning_details: [sealed] },
]

const text = (index: number, said: string, signature?: string) => ({
  ...{ type: 'reasoning.text', index, text: said },
  ...(signature && { signature }),
})
const block = (thinking: string, signature?: string | null) => ({
  ...{ type: 'thinking', thinking },
  ...(signature !== undefined && { signature }),
})

describe('what a maker attaches', () => {
  it.each([
    [
      'a signature on one of two calls',
      [call('a', google), call('b')],
      {
        tool_calls: [
          expect.objectContaining(google),
          expect.not.objectContaining({ extra_content: expect.anything() }),
        ],
      },
    ],
    [
      'a signature that comes after the call',
      [call('a'), { tool_calls: [{ index: 0, ...google }] }],
      { tool_calls: [expect.objectContaining(google)] },
    ],
    [
      'a proof within the function',
      [{ tool_calls: [{ index: 0, id: 'a', function: { name: 'ls', arguments: '{}', thought_signature: 's' } }] }],
      { tool_calls: [expect.objectContaining({ function: { name: 'ls', arguments: '{}', thought_signature: 's' } })] },
    ],
    ['details in one piece', [{ reasoning_details: details }, call('a')], { reasoning_details: details }],
    ['details in many pieces', [...inPieces, call('a')], { reasoning_details: details }],
    [
      'details whose pieces alternate',
      [
        { reasoning_details: [text(0, 'a'), text(1, 'x')] },
        { reasoning_details: [text(0, 'b', 's0')] },
        { reasoning_details: [text(1, 'y', 's1')] },
        call('a'),
      ],
      { reasoning_details: [text(0, 'ab', 's0'), text(1, 'xy', 's1')] },
    ],
    [
      'blocks in pieces without an index',
      [
        { thinking_blocks: [block('Hm')] },
        { thinking_blocks: [block(', yes', null)] },
        { thinking_blocks: [block('', 's0')] },
        { thinking_blocks: [block('Then'), block('And', 's2')] },
        { thinking_blocks: [{ type: 'redacted_thinking', data: 'x' }] },
        call('a'),
      ],
      {
        thinking_blocks: [
          block('Hm, yes', 's0'),
          block('Then'),
          block('And', 's2'),
          { type: 'redacted_thinking', data: 'x' },
        ],
      },
    ],
    ['sealed thoughts alone', [{ reasoning_details: [sealed] }, call('a')], { reasoning_details: [sealed] }],
    ['sealed thoughts under another name', [{ reasoning_opaque: 'x' }, call('a')], { reasoning_opaque: 'x' }],
    ['a proof on a text', [{ content: 'I look.', ...google }, call('a')], { content: 'I look.', ...google }],
  ])('comes back unchanged at its place: %s', async (_, pieces, sent) => {
    for (const mode of ['signed', 'all', 'as_text'] as const) expect(await sentBack(pieces, mode)).toMatchObject(sent)
  })

  // Mutation: when calls of other models keep what is attached to them, another maker sees it.
  it.each([[[call('a', google)]], [[...inPieces, call('a')]], [[{ content: 'I look.', ...google }, call('a')]]])(
    'is never sent to another model: %j',
    async (pieces) => {
      for (const mode of ['signed', 'all', 'as_text'] as const)
        expect(JSON.stringify(await sentBack(pieces, mode, 'gate/m2'))).not.toMatch(/signature|reasoning|extra_content/)
    },
  )

  // Mutation: without `id` among what is attached, a hash goes back.
  it.each(['functions.ls:0', `call_1__thought__${'QUJD'.repeat(60)}`, 'Rufnummer 1', 'ls/2+3=', 'x'.repeat(300)])(
    'an id comes back as it was made, and only to its maker: %s',
    async (id) => {
      const [own, other] = [await sentBack([call(id)]), await sentBack([call(id)], 'signed', 'gate/m2')]
      expect(own).toMatchObject({ tool_calls: [{ id }] })
      expect(JSON.stringify(other)).toMatch(/"id":"[\w-]{1,40}"/)
    },
  )

  it('the result of a call has the id that the call has', async () => {
    const id = 'functions.ls:0'
    const parts = [
      { type: 'tool_call', callId: id as ToolCallId, name: 'ls', input: {}, attached: { id } },
      { type: 'tool_call', callId: 'functions.ls:1' as ToolCallId, name: 'ls', input: {} },
    ] as const
    const { texts } = await served(createOpenAiClient, playOpenAi, parts, () => null)
    const [first, second] = idsIn(texts[0] ?? '', 'tool_call_id')
    expect([first, idsIn(texts[0] ?? '', 'id')]).toEqual([id, [id, second]])
    expect(second).toMatch(/^[\w-]{1,40}$/)
  })

  it.each([
    ["Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40."],
    ['messages.1.content.0.tool_use.id: String should match pattern ^[a-zA-Z0-9_-]+$'],
  ])('an odd id is left out for a server that refuses it: %s', async (words) => {
    const attached = { id: 'functions.ls:0' }
    const parts = [{ type: 'tool_call', callId: attached.id as ToolCallId, name: 'ls', input: {}, attached }] as const
    const { texts } = await served(createOpenAiClient, playOpenAi, parts, (body) =>
      body.includes(attached.id) ? words : null,
    )
    expect(texts.map((body) => body.includes(attached.id))).toEqual([true, false, false])
  })

  it('is left out for a server that does not know it, and the request goes on', async () => {
    const parts = [{ type: 'tool_call', callId: 'a' as ToolCallId, name: 'ls', input: {}, attached: google }] as const
    const { texts } = await served(createOpenAiClient, playOpenAi, parts, (body) =>
      body.includes('extra_content') ? 'messages.1.tool_calls.0.extra_content: Extra inputs are not permitted' : null,
    )
    expect(texts.map((body) => body.includes('extra_content'))).toEqual([true, false, false])
  })
})

/** Asks twice after a message of the model and its results. The bodies that were sent, and the last one read. */
async function served(
  createClient: typeof createOpenAiClient,
  play: (answer: { readonly text: string }) => Answer,
  content: Extract<RequestMessage, { role: 'assistant' }>['content'],
  refuse: (body: string) => string | null,
) {
  const texts: string[] = []
  const address = await serveModel((response, request, body) => {
    texts.push(body)
    const message = refuse(body)
    if (message === null) return play({ text: 'Hi.' })(response, request, body)
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
  })
  const results = content.flatMap((part) =>
    part.type === 'tool_call'
      ? [{ type: 'tool_result', callId: part.callId, content: [{ type: 'text', text: 'ok' }], isError: false } as const]
      : [],
  )
  const messages: readonly RequestMessage[] = [
    ...testRequest.messages,
    { role: 'assistant', content },
    { role: 'user', content: [...results, { type: 'text', text: 'And now?' }] },
  ]
  const client = createClient(testServer(address, { dialect: createDialect() }))
  for (const request of [1, 2])
    expect([request, (await ask(client, { messages })).stopReason]).toEqual([request, 'end_turn'])
  const last: { readonly messages: readonly Record<string, unknown>[] } = JSON.parse(texts.at(-1) ?? '')
  return { texts, messages: last.messages }
}

const calls = ['toolu_01ABC', 'toolu_02DEF'].map((id) => ({
  type: 'tool_call' as const,
  callId: id as ToolCallId,
  name: 'ls',
  input: {},
}))
const idsIn = (body: string, name: string): readonly string[] =>
  [...body.matchAll(new RegExp(`"${name}":"([^"]*)"`, 'g'))].map(([, id = '']) => id)

describe('a server that refuses a form of the protocol', () => {
  it.each([
    ['completions', createOpenAiClient, playOpenAi, 'tool_call_id'],
    ['messages', createAnthropicClient, playAnthropic, 'tool_use_id'],
  ] as const)('gets ids of nine letters that still belong together (%s)', async (_, createClient, play, name) => {
    const { texts } = await served(createClient, play, calls, (body) =>
      idsIn(body, name).every((id) => /^[a-zA-Z0-9]{9}$/.test(id))
        ? null
        : 'Tool call id was toolu_01ABC but must be a-z, A-Z, 0-9, with a length of 9.',
    )
    const body = texts.at(-1) ?? ''
    expect(texts).toHaveLength(3)
    expect(new Set(idsIn(body, name)).size).toBe(2)
    for (const id of idsIn(body, name)) expect(idsIn(body, 'id')).toContain(id)
  })

  it.each([
    ["Invalid value for 'content': expected a string, got null."],
    ['messages.1.content: Input should be a valid string; none is not an allowed value'],
    ['json: invalid type: null, expected a string for content'],
    ['The content field is required for messages of the assistant'],
  ])('gets an empty text for null: %s', async (words) => {
    const { texts, messages } = await served(createOpenAiClient, playOpenAi, calls, (body) =>
      body.includes('"content":null') ? words : null,
    )
    expect([texts.length, messages.find(({ role }) => role === 'assistant')?.content]).toEqual([3, ''])
  })

  it.each([
    ["Unexpected role 'user' after role 'tool'"],
    ['Expected last role: after tool messages there must be an assistant message (role)'],
  ])('gets a word of the model between results and a person: %s', async (words) => {
    const { messages } = await served(createOpenAiClient, playOpenAi, calls, (body) =>
      /"role":"tool"[^{]*\},\{"role":"user"/.test(body) ? words : null,
    )
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'user',
    ])
  })

  it.each([
    ['Missing `reasoning_content` field in the assistant message at message index 2'],
    ['thinking is enabled but reasoning_content is missing in assistant tool call message'],
    ['The reasoning_content in the thinking mode must be passed back to the API.'],
  ])('gets thoughts where it demands them: %s', async (words) => {
    const { texts } = await served(createOpenAiClient, playOpenAi, calls, (body) =>
      body.includes('"reasoning_content":"') ? null : words,
    )
    expect(texts).toHaveLength(3)
  })

  it('gets the signature that stands for none, on calls of other models alone', async () => {
    const [first, second] = calls
    const { messages } = await served(
      createOpenAiClient,
      playOpenAi,
      [{ ...(first as (typeof calls)[0]), attached: google }, second as (typeof calls)[0]],
      (body) =>
        (body.match(/"thought_signature"/g) ?? []).length === 2
          ? null
          : 'Function call is missing a thought_signature in functionCall parts.',
    )
    expect(messages.find(({ role }) => role === 'assistant')).toMatchObject({
      tool_calls: [google, { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } }],
    })
  })

  it.each([['System role not supported'], ["role 'system' is not supported by this template"]])(
    'gets the system prompt as the first words of the user: %s',
    async (words) => {
      const { messages } = await served(createOpenAiClient, playOpenAi, calls, (body) =>
        body.includes('"role":"system"') ? words : null,
      )
      expect(messages[0]).toEqual({ role: 'user', content: 'Be brief.\n\nHello' })
    },
  )
})
