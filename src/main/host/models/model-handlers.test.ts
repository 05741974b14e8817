import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { playAnthropic } from '#adapters/anthropic/anthropic-server.testkit.ts'
import { type Answer, serveModel } from '#adapters/model-http/model-server.testkit.ts'
import { playOpenAi } from '#adapters/openai/openai-server.testkit.ts'
import type { ScriptedAnswer } from '#core/ports/model-client.testkit.ts'
import type { ModelsView } from '#shared/contract/views/models.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'

const canary = 'sk-canary-0123456789'

interface Opened extends AsyncDisposable {
  readonly host: Host
  readonly folder: string
  get(): Promise<ModelsView>
  settings(): Record<string, unknown>
}

async function open(settings: object = {}, environment: Record<string, string> = {}): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-models-'))
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  const host = await openTestHost(folder, undefined, environment)
  return {
    host,
    folder,
    get: () => call(host.router.models.get, undefined, { context: {} }),
    settings: () => JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8')),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

const listing =
  (models: readonly object[], play: Answer): Answer =>
  (response, request, body) => {
    if (!request.url?.includes('/models')) return play(response, request, body)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ data: models, has_more: false }))
  }

/** A model that calls the tool when it has one, and answers otherwise. */
const helpful =
  (play: (answer: ScriptedAnswer) => Answer): Answer =>
  (response, request, body) => {
    const { tools = [] } = JSON.parse(body) as { tools?: readonly object[] }
    const call = { id: 'c', name: 'echo', input: { text: 'coppice' } }
    const answer = tools.length > 0 ? { calls: [call] } : { thinking: 'Hm.', text: 'The square is red.' }
    play(answer)(response, request, body)
  }

const key = { key: canary, remember: true, consent: true }

describe('profiles in the window', () => {
  it('saves a profile into the settings and its key into the key store, and shows neither key nor file of it', async () => {
    await using opened = await open({ model: 'claude-sonnet-5-5' })
    const { router } = opened.host
    const draft = { name: 'gate', preset: 'openrouter', concurrency: 3 }
    const saved = await call(router.models.save, { draft, replaces: null, key }, { context: {} })
    expect(saved.profiles.find(({ name }) => name === 'gate')).toMatchObject({
      ...{ preset: 'openrouter', scheme: 'bearer', concurrency: 3, secret: 'stored', needsSecret: true, usual: false },
    })
    expect(opened.settings()).toEqual({
      model: 'claude-sonnet-5-5',
      providers: { gate: { preset: 'openrouter', concurrency: 3 } },
    })
    expect(JSON.stringify(saved)).not.toContain(canary)
    const holding = readdirSync(opened.folder).filter(
      (name) =>
        statSync(join(opened.folder, name)).isFile() && readFileSync(join(opened.folder, name)).includes(canary),
    )
    expect(holding).toHaveLength(1)
    const removed = await call(router.models.remove, { profile: 'gate' }, { context: {} })
    expect(removed.profiles.map(({ name }) => name)).toEqual(['anthropic'])
    expect(readdirSync(opened.folder).some((name) => name.startsWith('key-'))).toBe(false)
  })

  it('keeps what the settings say of models when a profile is renamed and changed', async () => {
    await using opened = await open({
      providers: { gate: { base_url: 'https://a.example', models: { m1: { context: 9000 } } } },
    })
    const draft = { name: 'door', baseUrl: 'https://b.example', env: 'DOOR_KEY' }
    const view = await call(opened.host.router.models.save, { draft, replaces: 'gate' }, { context: {} })
    expect(view.profiles.map(({ name }) => name)).toEqual(['anthropic', 'door'])
    expect(opened.settings()).toEqual({
      providers: {
        door: { base_url: 'https://b.example', auth: { env: 'DOOR_KEY' }, models: { m1: { context: 9000 } } },
      },
    })
  })

  it('shows what the settings say themselves, and keeps what a form does not know of the place of a key', async () => {
    const listed = { kind: 'openai', base_url: 'https://a.example', auth: { command: ['pass', 'show key'] } }
    const named = {
      base_url: 'https://b.example',
      auth: { scheme: 'bearer', key: 'shared' },
      headers: { 'X-Team': 'a' },
    }
    await using opened = await open({ providers: { listed, named } })
    const { profiles } = await opened.get()
    expect(profiles.find(({ name }) => name === 'listed')?.own).toEqual({
      ...{ kind: 'openai', address: 'https://a.example', command: 'pass show key' },
    })
    expect(profiles.find(({ name }) => name === 'named')?.own).toEqual({
      ...{ address: 'https://b.example', scheme: 'bearer', headers: { 'X-Team': 'a' } },
    })
    const { router } = opened.host
    const change = (draft: object, replaces: string) =>
      call(router.models.save, { draft: { name: replaces, ...draft }, replaces }, { context: {} })
    const command = 'pass show key'
    await change({ kind: 'openai', baseUrl: 'https://c.example', command }, 'listed')
    await change({ baseUrl: 'https://d.example', scheme: 'bearer' }, 'named')
    expect(opened.settings()).toEqual({
      providers: {
        listed: { ...listed, base_url: 'https://c.example' },
        named: { base_url: 'https://d.example', auth: { scheme: 'bearer', key: 'shared' } },
      },
    })
    await change({ kind: 'openai', baseUrl: 'https://c.example', env: 'KEY' }, 'listed')
    await change({ baseUrl: 'https://d.example', command: 'pass show other' }, 'named')
    expect(opened.settings()).toEqual({
      providers: {
        listed: { ...listed, base_url: 'https://c.example', auth: { env: 'KEY' } },
        named: { base_url: 'https://d.example', auth: { command: 'pass show other' } },
      },
    })
  })

  it.each([
    ['a name that is taken', { name: 'gate', baseUrl: 'https://b.example' }, /a profile gate already/],
    ['a name with a slash', { name: 'a/b', baseUrl: 'https://b.example' }, /letters, digits/],
    ['the name of the built-in model', { name: 'demo', baseUrl: 'https://b.example' }, /built-in model/],
    ['no address', { name: 'door' }, /needs base_url/],
    ['two places for the key', { name: 'door', baseUrl: 'https://b.example', env: 'A', command: 'b' }, /one place/],
  ])('refuses %s, and changes nothing', async (_, draft, words) => {
    await using opened = await open({ providers: { gate: { base_url: 'https://a.example' } } })
    const before = opened.settings()
    await expect(call(opened.host.router.models.save, { draft, replaces: null }, { context: {} })).rejects.toThrow(
      words,
    )
    expect(opened.settings()).toEqual(before)
  })

  it('does not put a key into a file without consent', async () => {
    await using opened = await open({ providers: { gate: { base_url: 'https://a.example' } } })
    const input = { profile: 'gate', key: { ...key, consent: false } }
    await expect(call(opened.host.router.models.setKey, input, { context: {} })).rejects.toThrow(/no key store/)
    await call(opened.host.router.models.setKey, { profile: 'gate', key: { ...key, remember: false } }, { context: {} })
    expect((await opened.get()).profiles[1]?.secret).toBe('memory')
    await call(opened.host.router.models.clearKey, { profile: 'gate' }, { context: {} })
    expect((await opened.get()).profiles[1]?.secret).toBeNull()
  })

  it('changes window, price and abilities of a model, and the models for subagents, summaries and bad days', async () => {
    await using opened = await open({ providers: { gate: { base_url: 'https://a.example' } } })
    const { router } = opened.host
    const draft = { context: 32_000, prices: { input: 3, output: 15, cacheRead: 0.3 }, images: false }
    await call(router.models.setModel, { profile: 'gate', model: 'm/1', draft }, { context: {} })
    await call(
      router.models.choose,
      { usual: 'gate', subagentModel: 'gate/m/1', fallback: ['anthropic/claude-opus-5'] },
      { context: {} },
    )
    expect(opened.settings()).toMatchObject({
      providers: {
        gate: {
          models: { 'm/1': { context: 32_000, prices: { input: 3, output: 15, cache_read: 0.3 }, images: false } },
        },
      },
      ...{ default_provider: 'gate', subagent_model: 'gate/m/1', fallback: ['anthropic/claude-opus-5'] },
    })
    const { models, model } = opened.host.provider.info()
    expect(model).toBe('gate/m/1')
    expect(models.find(({ id }) => id === 'gate/m/1')).toMatchObject({
      contextWindow: 32_000,
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3 },
      can: { images: false, tools: true },
    })
    await call(router.models.setModel, { profile: 'gate', model: 'm/1', draft: { context: null } }, { context: {} })
    expect(opened.host.provider.factsOf('gate/m/1')?.context).toBe(200_000)
    const wrong = { fallback: ['nope/m1'] }
    await call(router.models.choose, { usual: null }, { context: {} })
    await expect(call(router.models.choose, wrong, { context: {} })).rejects.toThrow(/no profile "nope"/)
  })
})

describe('the key of a profile', () => {
  const save = ({ host }: Opened, draft: object, replaces: string | null, typed?: typeof key) =>
    call(host.router.models.save, { draft: draft as { name: string }, replaces, key: typed }, { context: {} })
  const secretOf = async (opened: Opened, name: string) =>
    (await opened.get()).profiles.find((profile) => profile.name === name)?.secret
  const read = ({ host }: Opened, name: string) => host.provider.open(name).secret.read(new AbortController().signal)
  const at = 'https://a.example/v1'

  it.each([['stored'], ['memory']])(
    'that is %s goes along with a new name, and so do all that name it',
    async (source) => {
      await using opened = await open({
        providers: { gate: { base_url: at } },
        ...{ model: 'gate/m/1', default_provider: 'gate', subagent_model: 'gate/m2', summary_model: 'gateway/m' },
        fallback: ['claude-opus-5', 'gate/m3'],
      })
      const typed = { ...key, remember: source === 'stored' }
      await call(opened.host.router.models.setKey, { profile: 'gate', key: typed }, { context: {} })
      await save(opened, { name: 'door', baseUrl: at }, 'gate')
      expect([await secretOf(opened, 'door'), await read(opened, 'door')]).toEqual([source, canary])
      expect(opened.settings()).toEqual({
        providers: { door: { base_url: at } },
        ...{ model: 'door/m/1', default_provider: 'door', subagent_model: 'door/m2', summary_model: 'gateway/m' },
        fallback: ['claude-opus-5', 'door/m3'],
      })
      await save(opened, { name: 'gate', baseUrl: at }, null)
      expect(await secretOf(opened, 'gate')).toBeNull()
    },
  )

  it.each([['gate'], ['door']])(
    'is taken away when another server gets the profile as %s, and it is said',
    async (name) => {
      await using opened = await open({ providers: { gate: { base_url: at } } })
      await call(opened.host.router.models.setKey, { profile: 'gate', key }, { context: {} })
      const same = await save(opened, { name: 'gate', baseUrl: 'https://a.example/v2' }, 'gate')
      expect([same.problems, await secretOf(opened, 'gate')]).toEqual([[], 'stored'])
      const moved = await save(opened, { name, baseUrl: 'https://b.example' }, 'gate')
      expect(moved.problems).toEqual([expect.stringMatching(/another address now, so its key was taken away/)])
      expect(await secretOf(opened, name)).toBeNull()
      expect(readdirSync(opened.folder).some((file) => file.startsWith('key-'))).toBe(false)
    },
  )

  it('that profiles share is not sent to another server, and stays with the others', async () => {
    const auth = { key: 'shared' }
    await using opened = await open({ providers: { a: { base_url: at, auth }, b: { base_url: at, auth } } })
    await call(opened.host.router.models.setKey, { profile: 'b', key }, { context: {} })
    await opened.host.provider.open('a').secret.set(canary, true)
    await save(opened, { name: 'a', baseUrl: 'https://b.example' }, 'a')
    expect([await secretOf(opened, 'a'), await read(opened, 'b')]).toEqual([null, canary])
    await call(opened.host.router.models.remove, { profile: 'a' }, { context: {} })
    expect(await read(opened, 'b')).toBe(canary)
  })

  it('is not sent to the address of a draft that is only tried', async () => {
    const keys: unknown[] = []
    const address = await serveModel((response, request) => {
      keys.push(request.headers['x-api-key'])
      response.writeHead(401).end()
    })
    await using opened = await open({ providers: { gate: { base_url: at } } })
    await call(opened.host.router.models.setKey, { profile: 'gate', key }, { context: {} })
    const profile = { name: 'gate', baseUrl: address }
    const result = await call(opened.host.router.models.test, { profile, model: 'm1' }, { context: {} })
    expect([result.ok, keys]).toEqual([false, []])
  })

  it.each([
    ['a variable', { env: 'GATE' }, /from the variable GATE/],
    ['a command', { command: 'pass show gate' }, /a command that prints it/],
  ])('that comes from %s is not remembered beside it, and that is said', async (_, auth, words) => {
    await using opened = await open({ providers: { gate: { base_url: at, auth } } })
    const remember = call(opened.host.router.models.setKey, { profile: 'gate', key }, { context: {} })
    await expect(remember).rejects.toThrow(words)
    await expect(save(opened, { name: 'new', baseUrl: at, ...auth }, null, key)).rejects.toThrow(words)
    expect(opened.settings()).toEqual({ providers: { gate: { base_url: at, auth } } })
  })
})

describe('models that are called like parts of an object', () => {
  it('are shown as any other', async () => {
    await using opened = await open({ providers: { constructor: { base_url: 'https://a.example' } } })
    const models = ['constructor', 'toString'].map((id) => ({ id, name: id, contextWindow: null }))
    opened.host.provider.learned.keepList('constructor', 'https://a.example', models)
    const view = await opened.get()
    expect(view.profiles[1]?.models).toEqual(
      models.map(({ id }) => ({ id: `constructor/${id}`, name: id, refused: [] })),
    )
  })
})

describe('a test of a model', () => {
  it.each([
    ['the Messages API', undefined, '', playAnthropic],
    ['chat completions', 'openai', '/v1', playOpenAi],
  ] as const)(
    'over %s says what works, keeps the list of models and costs what it says',
    async (_, kind, path, play) => {
      const models = [{ id: 'm1', display_name: 'M 1', context_length: 64_000 }]
      const address = await serveModel(
        listing(
          models,
          helpful((answer) => play(answer)),
        ),
      )
      await using opened = await open(
        {
          providers: {
            gate: {
              ...(kind && { kind }),
              base_url: `${address}${path}`,
              auth: { env: 'GATE' },
              models: { m1: { prices: { input: 1, output: 1 }, thinking: 'adaptive', effort: ['low'] } },
            },
          },
        },
        { GATE: canary },
      )
      const result = await call(opened.host.router.models.test, { profile: 'gate' }, { context: {} })
      expect(result).toMatchObject({
        ok: true,
        model: 'gate/m1',
        firstMs: expect.any(Number),
        cost: expect.any(Number),
      })
      const states = Object.fromEntries(result.abilities.map(({ ability, state }) => [ability, state]))
      expect(states).toMatchObject({
        reply: 'works',
        tools: 'works',
        images: 'works',
        thinking: 'works',
        effort: 'works',
      })
      expect(result.abilities.at(-1)).toEqual({ ability: 'window', state: 'works', detail: '64,000 tokens' })
      expect((await opened.get()).profiles[1]?.models).toEqual([
        { id: 'gate/m1', name: expect.any(String), refused: [], edited: true },
      ])
    },
  )

  it('says which parts the server refused, shows them, and tries them again when asked', async () => {
    const address = await serveModel((response, request, body) => {
      const refused = ['cache_control', 'image'].find((part) => body.includes(part === 'image' ? '"image"' : part))
      if (request.url?.includes('/models')) return void response.writeHead(404).end('')
      if (!refused) return helpful((answer) => playAnthropic(answer))(response, request, body)
      const message = refused === 'image' ? 'This model does not support images.' : `${refused}: unknown field`
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
    })
    const providers = { gate: { base_url: address, auth: { env: 'GATE' }, models: { m1: {} } } }
    await using opened = await open({ providers }, { GATE: canary })
    const { router } = opened.host
    const result = await call(router.models.test, { profile: 'gate', model: 'm1' }, { context: {} })
    const states = Object.fromEntries(result.abilities.map(({ ability, state }) => [ability, state]))
    expect(states).toMatchObject({ reply: 'works', tools: 'works', images: 'refused', caching: 'refused' })
    expect((await opened.get()).profiles[1]?.models[0]?.refused).toEqual(['caching', 'images'])
    const forgotten = await call(router.models.forget, { profile: 'gate', model: 'm1' }, { context: {} })
    expect(forgotten.profiles[1]?.models[0]?.refused).toEqual([])
  })

  it('says that a model calls no tools, and what that means', async () => {
    const address = await serveModel(listing([{ id: 'm1' }], playAnthropic({ text: 'I would call echo.' })))
    await using opened = await open({ providers: { gate: { base_url: address, auth: { scheme: 'none' } } } })
    const { abilities } = await call(opened.host.router.models.test, { profile: 'gate' }, { context: {} })
    expect(abilities.find(({ ability }) => ability === 'tools')).toEqual({
      ability: 'tools',
      state: 'refused',
      detail: 'It answered in words. Agents need a model that calls tools.',
    })
  })

  it.each([
    ['a wrong address', () => 'http://127.0.0.1:1', /could not be reached/],
    [
      'a page of a proxy',
      () => serveModel((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')),
      /web page/,
    ],
    [
      'a refused key',
      () => serveModel((response) => response.writeHead(401).end(`{"error":{"message":"Bad key ${canary}"}}`)),
      /refused the key/,
    ],
  ])('with %s says so in words, keeps nothing, and never shows the key', async (_, address, words) => {
    await using opened = await open()
    const profile = { name: 'gate', baseUrl: await address() }
    const result = await call(opened.host.router.models.test, { profile, model: 'm1', key: canary }, { context: {} })
    expect(result).toMatchObject({ ok: false, abilities: [], message: expect.stringMatching(words) })
    expect(JSON.stringify(result)).not.toContain(canary)
    expect(opened.settings()).toEqual({})
  })
})
