import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFileSecrets } from '#adapters/secrets/file-secrets.ts'
import type { ModelRequest } from '#core/ports/model-client.ts'
import type { Secrets } from '../app/host-options.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { openLearnedServers } from './learned-servers.ts'
import { openProfile, type ProfileParts } from './open-profile.ts'
import { openOptionalPackages } from './optional-packages.ts'
import { type Profile, profileFrom } from './profiles.ts'

const never = new AbortController().signal
const folder = () => mkdtempSync(join(tmpdir(), 'coppice-provider-'))
const request: ModelRequest = {
  ...{ model: 'm1', system: '', tools: [], maxTokens: 10, temperature: null, effort: null },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

async function openHost(settings: object, environment: Record<string, string> = {}) {
  const data = folder()
  const write = (next: object) => writeFileSync(join(data, 'settings.json'), JSON.stringify(next))
  write(settings)
  return { host: await openTestHost(data, undefined, environment), write }
}

describe('a change of the settings', () => {
  const gate = (more: object) => ({ providers: { gate: { base_url: 'https://a.example/v1', ...more } } })

  it('keeps the key of this session and the gate, until the server or the place of the key is another one', async () => {
    const { host, write } = await openHost(gate({}))
    await using _ = host
    const { provider } = host
    const first = provider.open('gate')
    await first.secret.set('sk-typed', false)
    write(gate({ models: { m1: { context: 9000 } }, base_url: 'https://a.example/v2' }))
    const second = provider.open('gate')
    expect(second.profile.address).toBe('https://a.example/v2')
    expect([second.secret.source(), second.gate === first.gate]).toEqual(['memory', true])
    write(gate({ concurrency: 3 }))
    expect([provider.open('gate').secret.source(), provider.open('gate').gate === first.gate]).toEqual([
      'memory',
      false,
    ])
    write(gate({ base_url: 'https://b.example' }))
    expect(provider.open('gate').secret.source()).toBeNull()
  })
})

describe('a profile', () => {
  const make = (profile: Profile | string, secrets: Secrets, parts: Partial<ProfileParts> = {}) => {
    if (typeof profile === 'string') throw new Error(profile)
    const data = folder()
    const learned = openLearnedServers(join(data, 'servers.json'), () => {})
    const packages = openOptionalPackages(data)
    return openProfile(profile, { secrets, environment: {}, learned, packages, ...parts }, (model) => model)
  }

  it('is not said to have no key before the key store was read', async () => {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    const secrets: Secrets = { ...createFileSecrets(join(folder(), 'key')), storage: 'plain', read: () => promise }
    const opened = make(profileFrom('gate', { base_url: 'https://a.example' }), secrets)
    expect(opened.findProblem()).toBeNull()
    resolve(null)
    await opened.secret.ready
    expect(opened.findProblem()).toMatch(/no key for the profile gate/)
  })

  it.each([['sk-line\nbreak'], ['sk-“curly”']])('says at once that the key %j cannot be sent', async (key) => {
    const secrets = createFileSecrets(join(folder(), 'key'))
    const opened = make(profileFrom('gate', { base_url: 'http://127.0.0.1:9', auth: { env: 'K' } }), secrets, {
      environment: { K: key },
    })
    const stream = opened.client.stream(request, never)
    await expect(drain(stream)).rejects.toMatchObject({
      ...{ code: 'no_key', message: expect.stringMatching(/key of gate has characters that cannot be sent/) },
    })
  })
})

describe('an address that is none', () => {
  it('is said in words, and nothing fails', async () => {
    const { host } = await openHost({}, { ANTHROPIC_BASE_URL: 'nonsense', ANTHROPIC_API_KEY: 'sk-a-key' })
    await using _ = host
    const { provider } = host
    expect(provider.info()).toMatchObject({ baseUrl: 'nonsense', canAsk: false })
    expect(provider.findProblem(provider.info().model)).toMatch(/ANTHROPIC_BASE_URL/)
    const stream = provider.modelFor('claude-x').stream({ ...request, model: 'claude-x' }, never)
    await expect(drain(stream)).rejects.toMatchObject({
      ...{ code: 'bad_request', message: expect.stringMatching(/http:\/\/ or https:\/\//) },
    })
  })
})

describe('variables that hold keys', () => {
  it('are withheld also for a profile that is refused, and read again when the settings change', async () => {
    const refused = (env: string) => ({ providers: { bad: { preset: 'nope', auth: { env } } } })
    const { host, write } = await openHost(refused('FIRST_KEY'))
    await using _ = host
    expect(host.provider.secretVariables()).toContain('FIRST_KEY')
    write(refused('SECOND_KEY_OF_IT'))
    expect(host.provider.secretVariables()).toContain('SECOND_KEY_OF_IT')
  })
})
