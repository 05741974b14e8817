import type { IncomingMessage } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { describeModelClient } from '#core/ports/model-client.contract.ts'
import { ModelError, type ModelRequest, type ModelStreamEvent } from '#core/ports/model-client.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import {
  type Answer,
  eventStream,
  serveModel,
  type TestServerOptions,
  testRequest,
  testServer,
} from '../model-http/model-server.testkit.ts'
import { createAnthropicClient } from './anthropic-client.ts'
import { blockStart, blockStop, delta, playAnthropic, started, stopped } from './anthropic-server.testkit.ts'

const never = new AbortController().signal
const request = testRequest

async function serve(answer: Answer, options: TestServerOptions = {}) {
  return createAnthropicClient(testServer(await serveModel(answer), options))
}

const toolStream = (json: readonly string[], reason = 'tool_use', ended = true) =>
  started +
  blockStart(0, { type: 'thinking', thinking: '', signature: '' }) +
  delta(0, { type: 'thinking_delta', thinking: 'Hm.' }) +
  delta(0, { type: 'signature_delta', signature: 'sig' }) +
  blockStop(0) +
  blockStart(1, { type: 'text', text: '' }) +
  delta(1, { type: 'text_delta', text: 'I will ' }) +
  delta(1, { type: 'text_delta', text: 'look.' }) +
  blockStop(1) +
  blockStart(2, { type: 'tool_use', id: 'call_1', name: 'ls', input: {} }) +
  json.map((part) => delta(2, { type: 'input_json_delta', partial_json: part })).join('') +
  (ended ? blockStop(2) : '') +
  stopped(reason)

const sse = eventStream

async function collect(client: { stream: ReturnType<typeof createAnthropicClient>['stream'] }, signal = never) {
  const events: ModelStreamEvent[] = []
  for await (const one of client.stream(request, signal)) events.push(one)
  return events
}

describeModelClient('Anthropic over HTTP', async (answer) => ({
  client: await serve(playAnthropic(answer)),
  [Symbol.asyncDispose]: async () => undefined,
}))

const nothingSent = { authorization: undefined, 'x-api-key': undefined, 'x-team': undefined }

describe('Anthropic client', () => {
  it.each([1, 37, 400])('streams text and thinking and ends with the whole reply (in %i pieces)', async (pieces) => {
    const prices = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }
    const served = await serve(sse(toolStream(['{"pa', 'th":"/a', '"}']), pieces), { facts: { prices } })
    const events = await collect(served)
    expect(events.slice(0, -1)).toEqual([
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'I will ' },
      { type: 'text', text: 'look.' },
    ])
    expect(events.at(-1)).toEqual({
      type: 'reply',
      reply: {
        content: [
          { type: 'thinking', text: 'Hm.', signature: 'sig' },
          { type: 'text', text: 'I will look.' },
          { type: 'tool_call', callId: 'call_1', name: 'ls', input: { path: '/a' } },
        ],
        stopReason: 'tool_use',
        usage: {
          modelCalls: 1,
          inputTokens: 10,
          outputTokens: 50,
          cacheReadTokens: 1000,
          cacheWriteTokens: 100,
          cost: expect.closeTo((10 * 2 + 50 * 10 + 1000 * 0.1 + 100 * 2.5) / 1e6, 12),
        },
      },
    })
  })

  it('sends what the provider expects, with cache breakpoints on tools, system and the end', async () => {
    let sent: Record<string, unknown> = {}
    let headers: IncomingMessage['headers'] = {}
    const client = await serve((response, incoming, body) => {
      sent = JSON.parse(body)
      headers = incoming.headers
      sse(started + stopped('end_turn'))(response, incoming, body)
    })
    const callId = 'call_1' as ToolCallId
    const messages: ModelRequest['messages'] = [
      ...request.messages,
      { role: 'assistant', content: [{ type: 'tool_call', callId, name: 'ls', input: { path: '/' } }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', callId, content: [{ type: 'text', text: 'nothing' }], isError: true }],
      },
    ]
    for await (const _ of client.stream({ ...request, messages }, never));
    const cache_control = { type: 'ephemeral' }
    expect(headers.authorization ?? headers['x-api-key']).toContain('test-key')
    expect(sent).toMatchObject({ model: 'm1', max_tokens: 1000, stream: true })
    expect(sent.system).toEqual([{ type: 'text', text: 'Be brief.', cache_control }])
    expect(sent.tools).toEqual([
      expect.not.objectContaining({ cache_control }),
      expect.objectContaining({ cache_control }),
    ])
    expect(sent.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'ls', input: { path: '/' } }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content: [{ type: 'text', text: 'nothing' }],
            is_error: true,
            cache_control,
          },
        ],
      },
    ])
  })

  it('never makes a call from input that max_tokens cut off, and keeps the text', async () => {
    const [reply] = (await collect(await serve(sse(toolStream(['{"path":"/a', '"'], 'max_tokens', false))))).slice(-1)
    expect(reply).toMatchObject({ type: 'reply', reply: { stopReason: 'max_tokens' } })
    expect(JSON.stringify(reply)).not.toContain('tool_call')
    expect(JSON.stringify(reply)).toContain('I will look.')
  })

  it.each([
    ['broken JSON', '{"path":'],
    ['an array', '[1]'],
    ['nothing', 'null'],
  ])('turns a call with %s as its input into one that does not run and says so', async (_, json) => {
    const [reply] = (await collect(await serve(sse(toolStream([json], 'tool_use', true))))).slice(-1)
    const call = { type: 'tool_call', callId: 'call_1', name: 'ls', input: {}, unreadable: json }
    expect(reply).toMatchObject({ type: 'reply', reply: { content: expect.arrayContaining([call]) } })
  })

  it('does not run a call whose input is nested hundreds of levels deep', async () => {
    const json = `{"path":${'['.repeat(300)}${']'.repeat(300)}}`
    const [reply] = (await collect(await serve(sse(toolStream([json], 'tool_use', true))))).slice(-1)
    const call = { type: 'tool_call', callId: 'call_1', input: {}, unreadable: expect.stringContaining('{"path":[[[') }
    expect(reply).toMatchObject({ reply: { content: expect.arrayContaining([expect.objectContaining(call)]) } })
  })

  it('reports a tool call that never ended as malformed', async () => {
    await expect(collect(await serve(sse(toolStream(['{"path":"/"}'], 'tool_use', false))))).rejects.toMatchObject({
      code: 'malformed',
    })
  })

  it.each([
    ['end_turn', 'end_turn'],
    ['refusal', 'refusal'],
    ['pause_turn', 'pause_turn'],
    ['model_context_window_exceeded', 'context_window_exceeded'],
    ['something_new', 'unknown'],
    [null, 'end_turn'],
    ['STOP', 'end_turn'],
    ['length', 'max_tokens'],
  ])('reads the stop reason %s as %s', async (sent, read) => {
    const events = await collect(await serve(sse(started + stopped(sent))))
    expect(events.at(-1)).toMatchObject({ reply: { stopReason: read } })
  })

  const whole = toolStream(['{"path":"/"}'])
  const ends = [...whole.matchAll(/\n\n/g)].map((match) => match.index + 2)
  it.each(ends.slice(0, -2))('throws when the stream ends or breaks after %i characters', async (length) => {
    const cut = whole.slice(0, length)
    await expect(collect(await serve(sse(cut)))).rejects.toMatchObject({ code: 'cut' })
    const broken = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(cut, () => setTimeout(() => response.destroy(), 5))
    })
    await expect(collect(broken)).rejects.toMatchObject({ code: 'cut' })
  })

  const html = '<html><body>Bad gateway</body></html>'
  const apiError = (type: string, message: string) => JSON.stringify({ type: 'error', error: { type, message } })
  it.each([
    [400, apiError('invalid_request_error', 'bad field'), 'bad_request'],
    [400, apiError('invalid_request_error', 'prompt is too long: 210000 tokens > 200000'), 'context_window_exceeded'],
    [401, apiError('authentication_error', 'invalid x-api-key'), 'unauthorized'],
    [403, html, 'forbidden'],
    [404, apiError('not_found_error', 'model: x'), 'not_found'],
    [413, html, 'too_large'],
    [418, '', 'bad_request'],
    [429, apiError('rate_limit_error', 'slow down'), 'rate_limited'],
    [500, html, 'server'],
    [502, html, 'server'],
    [529, apiError('overloaded_error', 'Overloaded'), 'overloaded'],
  ])('reads HTTP %i as its code, without asking twice', async (status, body, code) => {
    let requests = 0
    const client = await serve((response) => {
      requests += 1
      response.writeHead(status, { 'retry-after': '7' }).end(body)
    })
    await expect(collect(client)).rejects.toMatchObject({ name: 'ModelError', code, retryAfterMs: 7000 })
    expect(requests).toBe(1)
  })

  it('reads an error inside the stream by its type', async () => {
    const overloaded = `event: error\ndata: ${apiError('overloaded_error', 'Overloaded')}\n\n`
    await expect(collect(await serve(sse(started + overloaded)))).rejects.toMatchObject({ code: 'overloaded' })
    await expect(collect(await serve(sse(`${started}event: message_delta\ndata: {oops\n\n`)))).rejects.toMatchObject({
      code: 'malformed',
    })
  })

  it('asks nobody without a key, and says that the server is unreachable', async () => {
    const keyless = testServer('http://127.0.0.1:1', {
      headers: async () => {
        throw new ModelError('no_key', 'There is no key.')
      },
    })
    await expect(collect(createAnthropicClient(keyless))).rejects.toMatchObject({ code: 'no_key' })
    const client = createAnthropicClient(testServer('http://127.0.0.1:1'))
    const error = await collect(client).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'unreachable' })
    expect(error instanceof ModelError && error.retryable).toBe(true)
  })

  it.each([
    ['x-api-key', { 'x-api-key': 'k' }, { 'x-api-key': 'k' }],
    ['a bearer token', { authorization: 'Bearer t' }, { authorization: 'Bearer t' }],
    ['no key, and a header of the person', { 'x-team': 'a' }, { 'x-team': 'a' }],
  ])('sends %s and no other secret', async (_, headers, sent) => {
    let seen: IncomingMessage['headers'] = {}
    const client = await serve(
      (response, incoming, body) => {
        seen = incoming.headers
        sse(started + stopped('end_turn'))(response, incoming, body)
      },
      { headers: async () => headers },
    )
    await collect(client)
    const { authorization, 'x-api-key': key, 'x-team': team } = seen
    expect({ authorization, 'x-api-key': key, 'x-team': team }).toEqual({ ...nothingSent, ...sent })
  })

  it('gives up on silence, but not on a server that only pings', async () => {
    const silent = await serve(
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(started),
      { stallMs: 150 },
    )
    await expect(collect(silent)).rejects.toMatchObject({ code: 'cut' })
    const pinging = await serve(
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(started)
        const timer = setInterval(() => response.write('event: ping\ndata: {"type":"ping"}\n\n'), 50)
        setTimeout(() => {
          clearInterval(timer)
          response.end(stopped('end_turn'))
        }, 1_500)
      },
      { stallMs: 1_000 },
    )
    expect((await collect(pinging)).at(-1)).toMatchObject({ type: 'reply' })
  })

  it('stops at once with the reason of the signal', async () => {
    const client = await serve((response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(started),
    )
    const controller = new AbortController()
    setTimeout(() => controller.abort('stopped'), 30)
    await expect(collect(client, controller.signal)).rejects.toBe('stopped')
    await expect(collect(client, AbortSignal.abort('before'))).rejects.toBe('before')
  })

  it('writes nothing to the console about an old model, because a terminal may show rows there', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const client = await serve(sse(toolStream(['{}'])))
    for await (const _ of client.stream({ ...request, model: 'claude-sonnet-4-5' }, never));
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })

  it('refuses a temperature for a model that takes none', async () => {
    const client = await serve(sse(started + stopped('end_turn')), { facts: { can: { temperature: false } } })
    const iterate = async () => {
      for await (const _ of client.stream({ ...request, temperature: 0.5 }, never));
    }
    await expect(iterate()).rejects.toMatchObject({ code: 'bad_request' })
  })

  it('lists models, none where the server has no list, and reports other failures', async () => {
    const page = {
      data: [{ id: 'local-model', display_name: 'Local', max_input_tokens: 32_000, type: 'model' }],
      has_more: false,
    }
    const listing = await serve((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page)),
    )
    expect(await listing.models(never)).toMatchObject([{ id: 'local-model', name: 'Local', contextWindow: 32_000 }])
    const missing = await serve((response) => response.writeHead(404).end(''))
    expect(await missing.models(never)).toEqual([])
    const refused = await serve((response) => response.writeHead(401).end(''))
    await expect(refused.models(never)).rejects.toMatchObject({ code: 'unauthorized' })
  })
})
