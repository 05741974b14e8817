import { describe, expect, it } from 'vitest'
import { createAnthropicClient } from '#adapters/anthropic/anthropic-client.ts'
import { playAnthropic } from '#adapters/anthropic/anthropic-server.testkit.ts'
import {
  serveModel,
  type TestServerOptions,
  testRequest,
  testServer,
} from '#adapters/model-http/model-server.testkit.ts'
import { createOpenAiClient } from '#adapters/openai/openai-client.ts'
import { playOpenAi } from '#adapters/openai/openai-server.testkit.ts'
import type { ModelRequest } from '#core/ports/model-client.ts'
import { createDialect } from '#core/ports/model-server.ts'

const wires = [
  ['messages', createAnthropicClient, playAnthropic],
  ['completions', createOpenAiClient, playOpenAi],
] as const
type Sent = Readonly<Record<string, unknown>>

/** Asks twice. What the server got of the choice of words, request by request. */
async function sentBy(
  [, createClient, play]: (typeof wires)[number],
  request: Partial<ModelRequest>,
  {
    refuse = () => null,
    facts = {},
  }: { refuse?: (sent: Sent) => string | null; facts?: TestServerOptions['facts'] } = {},
): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const address = await serveModel((response, incoming, body) => {
    const { temperature, top_p, top_k } = JSON.parse(body)
    const said = JSON.parse(JSON.stringify({ temperature, top_p, top_k }))
    sent.push(said)
    const message = refuse(said)
    if (message === null) return play({ text: 'Hi.' })(response, incoming, body)
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
  })
  const client = createClient(testServer(address, { dialect: createDialect(), facts }))
  for (let times = 0; times < 2; times += 1)
    for await (const _ of client.stream({ ...testRequest, ...request }, new AbortController().signal));
  return sent
}

const all = { temperature: 0.5, topP: 0.9, topK: 40 }
const asSent = { temperature: 0.5, top_p: 0.9, top_k: 40 }

describe.each(wires)('the choice of words over %s', (...wire) => {
  it('is as the person set it, and nothing when they set nothing', async () => {
    expect(await sentBy(wire, all)).toEqual([asSent, asSent])
    expect(await sentBy(wire, { topP: null })).toEqual([{}, {}])
    expect(await sentBy(wire, { topK: 1 })).toEqual([{ top_k: 1 }, { top_k: 1 }])
  })

  it.each([
    [{ temperature: false }, {}],
    [{ topP: false }, { top_k: 40 }],
    [{ topK: false }, { top_p: 0.9 }],
    [{ temperature: false, topK: true }, { top_k: 40 }],
  ])('leaves out what the model is known not to take: %j', async (can, left) => {
    expect(await sentBy(wire, { topP: 0.9, topK: 40 }, { facts: { can } })).toEqual([left, left])
  })

  it.each([
    ['top_k', 'Unrecognized request argument supplied: top_k'],
    ['top_k', 'top_k: Extra inputs are not permitted'],
    ['top_k', 'Unknown name "top_k": Cannot find field.'],
    ['top_k', "property 'top_k' is unsupported"],
    ['top_p', "Unsupported parameter: 'top_p' is not supported with this model."],
    ['top_p', '`top_p` is deprecated for this model.'],
    ['top_p', '`temperature` and `top_p` cannot both be specified for this model. Please use only one.'],
    ['top_p', 'top_p and temperature cannot be set at the same time'],
    ['temperature', "Unsupported parameter: 'temperature' is not supported with this model."],
  ])('goes on without %s after: %s', async (part, words) => {
    const sent = await sentBy(wire, all, { refuse: (said) => (part in said ? words : null) })
    const { [part as keyof typeof asSent]: _, ...left } = asSent
    expect(sent).toEqual([asSent, left, left])
  })

  // A value that is wrong is the person's to correct: without it, the model would answer otherwise than asked.
  it.each(['top_p: must be between 0 and 1', 'top_k: Input should be less than or equal to 20'])(
    'fails with what the server says of a wrong value: %s',
    async (words) => {
      await expect(sentBy(wire, all, { refuse: () => words })).rejects.toThrow(words)
    },
  )
})
