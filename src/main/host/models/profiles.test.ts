import { describe, expect, it } from 'vitest'
import { checkSettings } from '#adapters/settings/settings-check.ts'
import type { ProfileSettings } from './profiles.ts'
import { asksMaker, readProfiles } from './profiles.ts'
import { findReference, findStored, referenceName } from './references.ts'

const none: ProfileSettings = { baseUrl: null, providers: {}, defaultProvider: null }
const gate = { base_url: 'https://gate.example.com/' }

/** The profiles of a settings text, as a person writes it. */
function read(text: string, environment = {}) {
  const { settings, problems } = checkSettings(text)
  const { base_url: baseUrl = null, providers = {}, default_provider: defaultProvider = null } = settings
  return { ...readProfiles({ baseUrl, providers, defaultProvider }, environment), mistakes: problems }
}

describe('the built-in profile', () => {
  it('asks its maker with a key, until a base URL says otherwise', () => {
    const { usual } = readProfiles(none, {})
    expect(usual).toMatchObject({ name: 'anthropic', address: 'https://api.anthropic.com', scheme: 'x-api-key' })
    expect(asksMaker(usual)).toBe(true)
    const moved = readProfiles({ ...none, baseUrl: 'http://127.0.0.1:9/' }, {}).usual
    expect([moved.address, asksMaker(moved)]).toEqual(['http://127.0.0.1:9', false])
    const environment = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:8' }
    expect(readProfiles(none, environment).usual.address).toBe('http://127.0.0.1:8')
    expect(readProfiles(none, environment).problems).toEqual([])
  })

  it('names a variable that holds no address', () => {
    const wrong = (text: string) => readProfiles(none, { ANTHROPIC_BASE_URL: text }).problems
    expect(wrong('nonsense')).toEqual([expect.stringMatching(/^ANTHROPIC_BASE_URL: this is not an address/)])
    expect(wrong('ftp://a.example')).toHaveLength(1)
    expect(wrong('')).toEqual([])
  })
})

describe('a profile of the settings', () => {
  it('takes what it does not say from its preset', () => {
    const { byName, problems } = read('{ "providers": { "or": { "preset": "openrouter" } } }')
    expect(problems).toEqual([])
    expect(byName.get('or')).toMatchObject({ kind: 'anthropic', scheme: 'bearer' })
    expect(byName.get('or')?.address).toMatch(/^https:\/\/openrouter\.ai/)
  })

  it('reads the example of the guide', () => {
    const { byName, mistakes } = read(`{
      "providers": {
        "gate": {
          "kind": "anthropic", "base_url": "https://gate.example.com",
          "auth": { "scheme": "bearer", "env": "GATE_TOKEN" }, // a comment
          "concurrency": 4,
          "models": { "m1": { "context": 32000, "prices": { "input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75 } } }
        }
      }
    }`)
    expect(mistakes).toEqual([])
    expect(byName.get('gate')).toMatchObject({
      ...{ address: 'https://gate.example.com', scheme: 'bearer', concurrency: 4 },
      secret: { kind: 'env', variable: 'GATE_TOKEN' },
    })
  })

  it.each([
    ['an unknown preset', '{ "preset": "nope" }', /preset "nope", which does not exist\. Presets: anthropic/],
    ['no address', '{ "kind": "openai" }', /needs base_url/],
    ['a cloud without its region', '{ "kind": "vertex", "project": "p" }', /needs region and project/],
  ])('is not used with %s, and the others are', (_, setting, words) => {
    const { byName, problems } = read(`{ "providers": { "bad": ${setting}, "gate": ${JSON.stringify(gate)} } }`)
    expect([...byName.keys()]).toEqual(['anthropic', 'gate'])
    expect(problems).toEqual([expect.stringMatching(words)])
  })

  it.each([
    [
      'prices that are no numbers',
      '"models": { "m": { "prices": { "input": "3", "output": 1 } } }',
      /models\.m\.prices\.input/,
    ],
    ['a wrong address', '"base_url": "gate"', /base_url/],
    ['a password in its address', '"base_url": "https://me:canary@g.example"', /holds no name and no password/],
    ['a header of two lines', '"base_url": "https://g.example", "headers": { "x": "a\\nb" }', /one line/],
    ['two places for its key', '"auth": { "env": "A", "command": "b" }', /one place/],
    ['an unknown key', '"bse_url": "https://x.example"', /bse_url/],
  ])('with %s is named with its line, and the others are used', (_, part, words) => {
    const { byName, mistakes } = read(
      `{\n "providers": {\n  "gate": { "base_url": "https://g.example" },\n  "bad": {\n ${part} } } }`,
    )
    expect([...byName.keys()]).toEqual(['anthropic', 'gate'])
    expect(mistakes).toEqual([
      expect.objectContaining({ line: expect.any(Number), message: expect.stringMatching(words) }),
    ])
  })

  // Mutation: with a profile as the smallest part, the profile is gone and its key with it.
  it.each([
    ['models.m1.prices.input', { m1: { context: 8_000, prices: { input: '3', output: 1 } } }, { context: 8_000 }],
    ['models.m1.prices', { m1: { context: 8_000, prices: { input: 3, output: 1, cached: 1 } } }, { context: 8_000 }],
    ['models.m1.prices', { m1: { context: 8_000, prices: 'cheap' } }, { context: 8_000 }],
    ['models.m1.effort.0', { m1: { context: 8_000, effort: ['ultra'] } }, { context: 8_000 }],
    ['models.m1.top_p', { m1: { context: 8_000, top_p: 0.5 } }, { context: 8_000 }],
    ['models.m1', { m1: { context: 8_000, sees: true } }, { context: 8_000 }],
    ['models.m1', { m1: 8_000 }, undefined],
    ['models', [], undefined],
  ])('keeps everything but the fact of a model that is wrong: %s', (where, models, left) => {
    const given = Array.isArray(models) ? models : { ...models, m2: { context: 4_000 } }
    const text = JSON.stringify({ providers: { gate: { ...gate, auth: { env: 'T' }, models: given } } })
    const { byName, mistakes } = read(text)
    expect(mistakes).toEqual([
      { line: 1, about: 'providers', wrong: true, message: expect.stringContaining(`providers: gate.${where}`) },
    ])
    expect(byName.get('gate')?.secret).toMatchObject({ variable: 'T' })
    expect(byName.get('gate')?.models).toEqual(
      Array.isArray(models) ? {} : { ...(left && { m1: left }), m2: { context: 4_000 } },
    )
  })

  it('of a name that stands twice is said, because only the last one counts', () => {
    const { mistakes } = read(
      '{ "providers": {\n "gate": { "base_url": "https://a.example" },\n "gate": { "base_url": "https://b.example" } } }',
    )
    expect(mistakes).toEqual([
      {
        line: 3,
        about: 'providers',
        wrong: true,
        twice: true,
        message: expect.stringMatching(/"gate" stands here twice/),
      },
    ])
  })

  it('is the usual one when the settings say so, and an unknown one is named', () => {
    const settings = { ...none, providers: { gate }, defaultProvider: 'gate' }
    expect(readProfiles(settings, {}).usual.name).toBe('gate')
    const { usual, problems } = readProfiles({ ...settings, defaultProvider: 'gat' }, {})
    expect([usual.name, problems]).toEqual(['anthropic', [expect.stringMatching(/no profile "gat"/)]])
  })
})

describe('the built-in profile in other words', () => {
  const secretOf = (setting: string) =>
    read(`{ "providers": { "anthropic": ${setting} } }`).byName.get('anthropic')?.secret

  it('keeps the key that was entered for it, and its variables where its maker answers', () => {
    const own = { kind: 'store', name: null, env: 'ANTHROPIC_API_KEY', tokenEnv: 'ANTHROPIC_AUTH_TOKEN' }
    expect(secretOf('{ "base_url": "https://g.example", "concurrency": 3 }')).toEqual(own)
    expect(secretOf('{ "preset": "anthropic" }')).toEqual(own)
    expect(secretOf('{ "preset": "openrouter" }')).toEqual({ kind: 'store', name: null, env: 'OPENROUTER_API_KEY' })
    expect(secretOf('{ "preset": "anthropic", "auth": { "key": "other" } }')).toMatchObject({ name: 'other' })
  })
})

describe('the name of a model', () => {
  const find = (given: string, settings: Partial<ProfileSettings> = {}) => {
    const profiles = readProfiles({ ...none, providers: { gate }, ...settings }, {})
    const found = findReference(given, profiles)
    return found.ok ? [found.value.profile.name, found.value.id, referenceName(found.value, profiles)] : found.error
  }

  it.each([
    ['claude-x', {}, ['anthropic', 'claude-x', 'claude-x']],
    ['anthropic/claude-x', {}, ['anthropic', 'claude-x', 'claude-x']],
    ['anthropic:claude-x', {}, ['anthropic', 'claude-x', 'claude-x']],
    ['gate/m1', {}, ['gate', 'm1', 'gate/m1']],
    ['gate/meta/llama3:8b', {}, ['gate', 'meta/llama3:8b', 'gate/meta/llama3:8b']],
    ['m1', { defaultProvider: 'gate' }, ['gate', 'm1', 'gate/m1']],
    ['anthropic/claude-x', { defaultProvider: 'gate' }, ['anthropic', 'claude-x', 'anthropic/claude-x']],
    ['meta/llama3:8b', { baseUrl: 'http://127.0.0.1:9' }, ['anthropic', 'meta/llama3:8b', 'meta/llama3:8b']],
    [
      'anthropic/claude-x',
      { baseUrl: 'http://127.0.0.1:9' },
      ['anthropic', 'anthropic/claude-x', 'anthropic/claude-x'],
    ],
    ['gate/', {}, ['anthropic', 'gate/', 'gate/']],
  ] as const)('%s, with %j, is a model of its profile and keeps one name', (given, settings, found) => {
    expect(find(given, settings)).toEqual(found)
    expect(find(found[2], settings)).toEqual(found)
  })

  it.each([
    ['claude-old', { defaultProvider: 'gate' }, 'anthropic', 'anthropic/claude-old'],
    ['claude-old', {}, 'anthropic', 'claude-old'],
    ['gate/m1', { defaultProvider: 'gate' }, 'gate', 'gate/m1'],
    ['meta/llama', { baseUrl: 'http://127.0.0.1:9', defaultProvider: 'gate' }, 'anthropic', 'anthropic/meta/llama'],
  ])('%s of a thread never becomes one of another server, with %j', (name, settings, profile, full) => {
    const profiles = readProfiles({ ...none, providers: { gate }, ...settings }, {})
    const found = findStored(name, profiles)
    expect(found.ok && [found.value.profile.name, referenceName(found.value, profiles)]).toEqual([profile, full])
  })

  it.each([
    ['gat/m1', {}, /no profile "gat"\. Profiles: anthropic, gate/],
    ['openai:gpt-6', {}, /only|go to the Anthropic API/],
    ['bedrock:x', { baseUrl: 'http://127.0.0.1:9' }, /the server at http:\/\/127\.0\.0\.1:9/],
  ])('%s is refused with what there is', (given, settings, words) => {
    expect(find(given, settings)).toMatch(words)
  })
})
