import { mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventsOf, playAnthropic } from '#adapters/anthropic/anthropic-server.testkit.ts'
import { type Answer, serveModel } from '#adapters/model-http/model-server.testkit.ts'
import { createFileSecrets } from '#adapters/secrets/file-secrets.ts'
import type { ProviderSetting } from '#adapters/settings/providers-schema.ts'
import type { ModelRequest } from '#core/ports/model-client.ts'
import { openLearnedServers } from './learned-servers.ts'
import { openProfile } from './open-profile.ts'
import { type OptionalPackages, openOptionalPackages } from './optional-packages.ts'
import { profileFrom } from './profiles.ts'

const never = new AbortController().signal
const request: ModelRequest = {
  ...{ model: 'claude-x', system: '', tools: [], maxTokens: 100, temperature: null, effort: null },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
}
const answer = { thinking: 'Hm.', text: 'I look.', calls: [{ id: 'c', name: 'ls', input: { path: '/ä' } }] }

interface Seen {
  readonly path: string
  readonly authorization: string | undefined
  readonly key: string | string[] | undefined
  readonly body: unknown
}

/** A profile of a cloud whose address is this machine, and what its server saw. */
async function open(setting: ProviderSetting, play: Answer, given?: OptionalPackages) {
  const seen: Seen[] = []
  const address = await serveModel((response, incoming, body) => {
    const { url = '', headers } = incoming
    const key = headers['x-api-key'] ?? headers['api-key']
    seen.push({ path: url, authorization: headers.authorization, key, body: JSON.parse(body) })
    play(response, incoming, body)
  })
  const profile = profileFrom('cloud', { base_url: address, auth: { scheme: 'bearer', env: 'CLOUD_KEY' }, ...setting })
  if (typeof profile === 'string') throw new Error(profile)
  const folder = mkdtempSync(join(tmpdir(), 'coppice-cloud-'))
  const parts = {
    secrets: createFileSecrets(join(folder, 'key')),
    environment: { CLOUD_KEY: 'cloud-secret' },
    learned: openLearnedServers(join(folder, 'servers.json'), () => {}),
    packages: given ?? openOptionalPackages(folder),
  }
  return { seen, folder, client: openProfile(profile, parts, (model) => model).client }
}

async function replyOf({ client }: Awaited<ReturnType<typeof open>>) {
  for await (const event of client.stream(request, never)) if (event.type === 'reply') return event.reply
  return undefined
}

const whole = {
  content: [
    { type: 'thinking', text: 'Hm.', signature: 'sig' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_call', callId: 'c', name: 'ls', input: { path: '/ä' } },
  ],
  stopReason: 'tool_use',
}

/** One frame of the binary stream in which one cloud wraps the events. */
interface FrameCodec {
  encode(message: { readonly headers: object; readonly body: Uint8Array }): Uint8Array
}
function frameCodec(): FrameCodec {
  const { EventStreamCodec } = createRequire(import.meta.url)('@smithy/eventstream-codec')
  return new EventStreamCodec(
    (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8'),
    (text: string) => Buffer.from(text),
  )
}

const playBedrock: Answer = (response) => {
  const codec = frameCodec()
  const headers = Object.fromEntries(
    [
      [':message-type', 'event'],
      [':event-type', 'chunk'],
      [':content-type', 'application/json'],
    ].map(([name, value]) => [name, { type: 'string', value }]),
  )
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
  for (const text of eventsOf(answer).flatMap((events) => events.split('\n\n').filter(Boolean))) {
    const data = text.slice(text.indexOf('data: ') + 6)
    const body = Buffer.from(JSON.stringify({ bytes: Buffer.from(data).toString('base64') }))
    response.write(codec.encode({ headers, body }))
  }
  response.end()
}

describe('a profile of a cloud, through its maker’s own package', () => {
  it('foundry: sends the key and reads the stream', async () => {
    const opened = await open({ kind: 'foundry' }, playAnthropic(answer))
    expect(await replyOf(opened)).toMatchObject(whole)
    expect(opened.seen).toMatchObject([{ path: '/v1/messages', body: { model: 'claude-x', stream: true } }])
    expect([opened.seen[0]?.key, opened.seen[0]?.authorization]).toContain('cloud-secret')
  })

  it('vertex: names region, project and model in the path', async () => {
    const opened = await open({ kind: 'vertex', region: 'europe-west1', project: 'p1' }, playAnthropic(answer))
    expect(await replyOf(opened)).toMatchObject(whole)
    expect(opened.seen).toMatchObject([
      {
        path: '/projects/p1/locations/europe-west1/publishers/anthropic/models/claude-x:streamRawPredict',
        authorization: 'Bearer cloud-secret',
      },
    ])
  })

  it('bedrock: reads the events out of their frames', async () => {
    const opened = await open({ kind: 'bedrock', region: 'eu-central-1' }, playBedrock)
    expect(await replyOf(opened)).toMatchObject(whole)
    expect(opened.seen).toMatchObject([
      { path: '/model/claude-x/invoke-with-response-stream', authorization: 'Bearer cloud-secret' },
    ])
  })

  it('asks with one client, which knows its login, however many requests there are', async () => {
    let loads = 0
    const folder = mkdtempSync(join(tmpdir(), 'coppice-cloud-'))
    const real = openOptionalPackages(folder)
    const load: OptionalPackages['load'] = (name) => {
      loads += 1
      return real.load(name)
    }
    const counted = { ...real, load }
    const opened = await open({ kind: 'foundry' }, playAnthropic(answer), counted)
    await Promise.all([replyOf(opened), replyOf(opened)])
    await replyOf(opened)
    expect([loads, opened.seen.length]).toEqual([1, 3])
  })

  it('names the command that installs a package that is missing, and asks nobody', async () => {
    const packages = openOptionalPackages('/data folder')
    const missing = {
      ...packages,
      load: () => packages.load('@anthropic-ai/not-there'),
    }
    const opened = await open({ kind: 'bedrock', region: 'eu-central-1' }, playBedrock, missing)
    await expect(replyOf(opened)).rejects.toMatchObject({
      code: 'no_key',
      message:
        'Models of the kind bedrock need the package @anthropic-ai/bedrock-sdk. Install it with: npm install --prefix "/data folder/packages" @anthropic-ai/bedrock-sdk',
    })
    expect(opened.seen).toEqual([])
  })
})
