import { mkdtempSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventsOf, playAnthropic } from '#adapters/anthropic/anthropic-server.testkit.ts'
import { type Answer, serveModel } from '#adapters/model-http/model-server.testkit.ts'
import { playOpenAi } from '#adapters/openai/openai-server.testkit.ts'
import { createFileSecrets } from '#adapters/secrets/file-secrets.ts'
import type { ProviderSetting } from '#adapters/settings/providers-schema.ts'
import { describeModelClient } from '#core/ports/model-client.contract.ts'
import type { ScriptedAnswer } from '#core/ports/model-client.testkit.ts'
import type { ModelClient, ModelReply, ModelRequest } from '#core/ports/model-client.ts'
import { openLearnedServers } from './learned-servers.ts'
import { openProfile } from './open-profile.ts'
import { openOptionalPackages } from './optional-packages.ts'
import { profileFrom } from './profiles.ts'

/** A kind of server: how it plays an answer, and the profile that a person sets for it. */
interface Server {
  readonly setting?: Partial<ProviderSetting>
  readonly play: (answer: ScriptedAnswer) => Answer
  /** Plays at this address below the server's. */
  readonly path?: string
}

const refuse = (response: ServerResponse, status: number, message: string) =>
  void response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }))

/** Plays the answer unless the server has a reason to refuse the request. */
const unless =
  (reason: (body: string, headers: Record<string, unknown>) => readonly [number, string] | undefined): Server['play'] =>
  (answer) =>
  (response, request, body) => {
    const refusal = reason(body, request.headers)
    if (refusal) refuse(response, ...refusal)
    else playAnthropic(answer)(response, request, body)
  }

/** Writes a stream byte by byte, so that every character and every piece of JSON is cut somewhere. */
const inBytes = (response: ServerResponse): ServerResponse =>
  new Proxy(response, {
    get(target, name) {
      if (name !== 'write') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)
      return (text: string) => {
        for (const byte of Buffer.from(text)) target.write(Buffer.from([byte]))
        return true
      }
    },
  })

const servers: Readonly<Record<string, Server>> = {
  'takes a bearer token alone': {
    setting: { auth: { scheme: 'bearer', env: 'GATE_TOKEN' } },
    play: unless((_, { authorization, 'x-api-key': key }) =>
      authorization === 'Bearer canary-token' && key === undefined ? undefined : [401, 'Bearer token missing.'],
    ),
  },
  'has no list of models': {
    play: (answer) => (response, request, body) =>
      request.url?.includes('/models')
        ? refuse(response, 404, 'no route')
        : playAnthropic(answer)(response, request, body),
  },
  'refuses cache marks': {
    play: unless((body) =>
      body.includes('cache_control') ? [400, 'cache_control: Extra inputs are not permitted'] : undefined,
    ),
  },
  'refuses cache marks on tools alone': {
    play: unless((body) => {
      const { tools } = JSON.parse(body) as { tools: readonly object[] }
      return tools.some((tool) => 'cache_control' in tool) ? [400, 'tools.0.cache_control: unknown field'] : undefined
    }),
  },
  'signs no thoughts': {
    setting: { thoughts: 'all' },
    play: (answer) => (response, request, body) => {
      const unsigned = eventsOf(answer).filter((event) => !event.includes('signature_delta'))
      if (answer.fault || answer.until) playAnthropic(answer)(response, request, body)
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (const event of unsigned) response.write(event)
        response.end()
      }
    },
  },
  'ends without a last event': {
    play: (answer) => (response, request, body) => {
      if (answer.fault || answer.until) return playAnthropic(answer)(response, request, body)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of eventsOf(answer)) response.write(event.replace(/event: message_stop[\s\S]*?\n\n/, ''))
      response.end()
    },
  },
  'cuts characters and JSON anywhere': {
    play: (answer) => (response, request, body) => playAnthropic(answer)(inBytes(response), request, body),
  },
  'refuses unknown models': {
    play: unless((body) => (body.includes('"model":"any"') ? undefined : [400, 'Unknown model.'])),
  },
  'speaks chat completions, with calls at once and usage at the end': {
    setting: { kind: 'openai' },
    path: '/v1',
    play: (answer) => playOpenAi(answer, { usage: 'end' }),
  },
  'speaks chat completions and reports no usage': {
    setting: { kind: 'openai' },
    path: '/v1',
    play: (answer) => playOpenAi(answer, { usage: 'none', thoughts: 'reasoning', stopForCalls: true }),
  },
}

/** The client of a profile that a person set for the server, with everything real but the server. */
async function clientOf({ setting = {}, play, path = '' }: Server, answer: ScriptedAnswer): Promise<ModelClient> {
  const address = await serveModel(play(answer))
  const profile = profileFrom('gate', { base_url: `${address}${path}`, auth: { env: 'GATE_KEY' }, ...setting })
  if (typeof profile === 'string') throw new Error(profile)
  const folder = mkdtempSync(join(tmpdir(), 'coppice-dialects-'))
  const parts = {
    secrets: createFileSecrets(join(folder, 'key')),
    environment: { GATE_KEY: 'canary-key', GATE_TOKEN: 'canary-token' },
    learned: openLearnedServers(join(folder, 'servers.json'), () => {}),
    packages: openOptionalPackages(folder),
  }
  return openProfile(profile, parts, (model) => model.replace(/^gate\//, '')).client
}

describe.each(Object.entries(servers))('a server that %s', (name, server) => {
  describeModelClient(
    `a server that ${name}`,
    async (answer) => ({
      client: await clientOf(server, answer),
      [Symbol.asyncDispose]: async () => undefined,
    }),
    server.setting?.kind === 'openai' ? [] : undefined,
  )
})

describe('the client of a profile', () => {
  const never = new AbortController().signal
  const request: ModelRequest = {
    ...{ model: 'gate/any', system: '', tools: [], maxTokens: 100, temperature: null, effort: null },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  }
  const replyTo = async (client: ModelClient, asked: ModelRequest): Promise<ModelReply | undefined> => {
    for await (const event of client.stream(asked, never)) if (event.type === 'reply') return event.reply
    return undefined
  }

  it('names the model as its server does, and sends back what it thought between calls', async () => {
    const bodies: string[] = []
    const server = servers['signs no thoughts']
    if (!server) throw new Error('no such server')
    const play: Server['play'] = (answer) => (response, incoming, body) => {
      bodies.push(body)
      server.play(answer)(response, incoming, body)
    }
    const client = await clientOf({ ...server, play }, { thinking: 'I look first.', text: 'So.' })
    const reply = await replyTo(client, request)
    expect(reply?.content).toEqual([
      { type: 'thinking', text: 'I look first.', signature: '' },
      { type: 'text', text: 'So.' },
    ])
    const said = { role: 'assistant', content: reply?.content ?? [], from: 'gate/any' } as const
    await replyTo(client, { ...request, messages: [...request.messages, said, ...request.messages] })
    expect(bodies.map((body) => (JSON.parse(body) as { model: string }).model)).toEqual(['any', 'any'])
    expect([bodies[0]?.includes('I look first.'), bodies[1]?.includes('I look first.')]).toEqual([false, true])
  })

  it('asks once more with a new secret when the server refused the one that a command printed', async () => {
    const keys: unknown[] = []
    const folder = mkdtempSync(join(tmpdir(), 'coppice-renewal-'))
    const play: Server['play'] = (answer) => (response, incoming, body) => {
      keys.push(incoming.headers['x-api-key'])
      if (keys.length % 2 === 1) refuse(response, 401, 'The token expired.')
      else playAnthropic(answer)(response, incoming, body)
    }
    const command = `printf x >> ${folder}/n; printf key-; wc -c < ${folder}/n | tr -d ' '`
    const client = await clientOf({ play, setting: { auth: { command } } }, { text: 'Hi.' })
    expect((await replyTo(client, request))?.content).toEqual([{ type: 'text', text: 'Hi.' }])
    expect(keys).toEqual(['key-1', 'key-2'])
  })

  it('takes the secret out of a refusal that repeats it', async () => {
    const play: Server['play'] = unless(() => [401, 'Incorrect API key provided: canary-key.'])
    const error = await replyTo(await clientOf({ play }, {}), request).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('[the key]') })
    expect(JSON.stringify([String(error), error])).not.toContain('canary-key')
  })

  it('says in place of a key which variable is missing', async () => {
    const setting = { auth: { env: 'NOT_SET' } }
    const client = await clientOf({ play: (answer) => playAnthropic(answer), setting }, { text: 'Hi.' })
    await expect(replyTo(client, request)).rejects.toMatchObject({
      code: 'no_key',
      message: expect.stringMatching(/takes its key from NOT_SET, which is not set/),
    })
  })
})
