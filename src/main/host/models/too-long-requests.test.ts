import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAnthropicClient } from '#adapters/anthropic/anthropic-client.ts'
import { playAnthropic } from '#adapters/anthropic/anthropic-server.testkit.ts'
import { serveModel, testRequest, testServer } from '#adapters/model-http/model-server.testkit.ts'
import { createOpenAiClient } from '#adapters/openai/openai-client.ts'
import { playOpenAi } from '#adapters/openai/openai-server.testkit.ts'
import { ModelError } from '#core/ports/model-client.ts'
import { createDialect, withinLimits } from '#core/ports/model-server.ts'
import { openLearnedServers } from './learned-servers.ts'

const never = new AbortController().signal
const facts = { context: 200_000, maxOutput: null }

describe.each([
  ['messages', createAnthropicClient, playAnthropic],
  ['completions', createOpenAiClient, playOpenAi],
] as const)('a server of %s that finds a request too long', (_, createClient, play) => {
  /** What came of a request for a reply of 40,000 tokens: its end, and the limits of all requests that were sent. */
  async function ask(refuse: (wanted: number) => string | null, status = 400) {
    const wanted: number[] = []
    const dialect = createDialect()
    const address = await serveModel((response, request, body) => {
      const { max_tokens: most, max_completion_tokens: other = most } = JSON.parse(body)
      wanted.push(other)
      const message = refuse(other)
      if (message === null) return play({ text: 'Hi.' })(response, request, body)
      const error = { type: 'invalid_request_error', message }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    })
    const client = createClient(testServer(address, { dialect, facts }))
    const once = async () => {
      try {
        for await (const event of client.stream({ ...testRequest, maxTokens: 40_000 }, never))
          if (event.type === 'reply') return 'reply'
      } catch (error) {
        if (error instanceof ModelError) return error.code
        throw error
      }
      return 'nothing'
    }
    return { end: await once(), wanted, dialect, again: once }
  }

  it.each([
    [400, 'Input is too long for requested model.'],
    [400, 'The input token count (1176024) exceeds the maximum number of tokens allowed (131072).'],
    [413, 'Prompt contains 140000 tokens, too large for model with 131072 maximum context length'],
    [422, 'Your request exceeded model token limit: 131072 (requested: 140000)'],
  ])('says so with %i: %s', async (status, message) => {
    const { end, wanted } = await ask(() => message, status)
    expect([end, wanted.length]).toEqual(['context_window_exceeded', 1])
  })

  it('gets a reply that fits beside the input, and its window is known from then on', async () => {
    const { end, wanted, dialect } = await ask((most) =>
      150_000 + most > 160_000
        ? `input length and \`max_tokens\` exceed context limit: 150000 + ${most} > 160000, decrease input length or \`max_tokens\` and try again`
        : null,
    )
    expect([end, wanted, dialect.limitsOf('m1')]).toEqual(['reply', [40_000, 9_999], { context: 160_000 }])
  })

  it('gets a shorter reply where it names its limit, with the first request alone', async () => {
    const { end, wanted, again } = await ask((most) =>
      most > 8_192 ? `max_tokens: ${most} > 8192, which is the maximum allowed number of output tokens for m1` : null,
    )
    expect([end, await again(), wanted]).toEqual(['reply', 'reply', [40_000, 8_192, 8_192]])
  })

  it.each(['Please reduce the length of the messages or completion.', 'max_tokens is too large'])(
    'gets shorter replies where it names no limit: %s',
    async (message) => {
      const { end, wanted } = await ask((most) => (most > 4_000 ? message : null))
      expect([end, wanted]).toEqual(['reply', [40_000, 10_000, 2_500]])
    },
  )

  it('is asked no more when the input leaves no room', async () => {
    const { end, wanted } = await ask(
      (most) => `input length and max_tokens exceed context limit: 199900 + ${most} > 200000`,
    )
    expect([end, wanted.length]).toEqual(['context_window_exceeded', 1])
  })

  it('is asked no more when no reply is short enough', async () => {
    const { end, wanted } = await ask(() => 'Please reduce the length of the messages or completion.')
    expect(end).toBe('context_window_exceeded')
    expect(wanted.length).toBeLessThan(5)
  })
})

it('the limits of a server are kept over restarts, and forgotten with its refusals', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'coppice-learned-')), 'servers.json')
  const open = () => openLearnedServers(path, (error) => expect(error).toBeUndefined())
  open()
    .dialect('p', () => 'a')
    .learnLimits('m', { context: 8_192 })
  open()
    .dialect('p', () => 'a')
    .learnLimits('m', { maxOutput: 512 })
  expect(
    open()
      .dialect('p', () => 'a')
      .limitsOf('m'),
  ).toEqual({ context: 8_192, maxOutput: 512 })
  expect(
    open()
      .dialect('p', () => 'b')
      .limitsOf('m'),
  ).toEqual({})
  open().forget('p', 'm')
  expect(
    open()
      .dialect('p', () => 'a')
      .limitsOf('m'),
  ).toEqual({})
})

it('a limit narrows what is known of a model, and never widens it', () => {
  const known = { context: 32_000, maxOutput: 4_096 } as Parameters<typeof withinLimits>[0]
  expect(withinLimits(known, { context: 8_192, maxOutput: 9_000 })).toEqual({ context: 8_192, maxOutput: 4_096 })
  expect(withinLimits(known, { context: 64_000 })).toEqual(known)
})
