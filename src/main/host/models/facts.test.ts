import { describe, expect, it } from 'vitest'
import type { ProviderSetting } from '#adapters/settings/providers-schema.ts'
import { findFacts, isWindowAssumed } from './facts.ts'
import { readProfiles } from './profiles.ts'

function profile(setting: ProviderSetting) {
  const found = readProfiles({ baseUrl: null, providers: { p: setting }, defaultProvider: 'p' }, {}).usual
  expect(found.name).toBe('p')
  return found
}
const own = { base_url: 'https://gate.example.com' }
const listed = [{ id: 'm1', name: 'M 1', contextWindow: 64_000, maxOutput: 4_000 }]

describe('what is known of a model', () => {
  it('is what a person set, before what its server listed, before what its maker publishes', () => {
    const anthropic = profile({ preset: 'anthropic', models: { 'claude-sonnet-5-5': { context: 50_000 } } })
    const facts = findFacts(anthropic, 'claude-sonnet-5-5', [])
    expect(facts).toMatchObject({ context: 50_000, name: 'Claude Sonnet 5.5', prices: { input: 2, cacheRead: 0.1 } })
    expect(
      findFacts(anthropic, 'claude-sonnet-5', [
        { ...listed[0], id: 'claude-sonnet-5', name: 'x', contextWindow: 7_000 },
      ]),
    ).toMatchObject({ context: 7_000, can: { thinking: 'adaptive', schemas: true } })
    expect(findFacts(profile(own), 'm1', listed)).toMatchObject({ name: 'M 1', context: 64_000, maxOutput: 4_000 })
  })

  it('has prices with and without a cache, also set to unknown, and none on a machine of one’s own', () => {
    const prices = (set: object) => findFacts(profile({ ...own, models: { m1: set } }), 'm1', []).prices
    expect(prices({ prices: { input: 3, output: 15 } })).toEqual({ input: 3, output: 15, cacheRead: 3, cacheWrite: 3 })
    expect(prices({})).toBeNull()
    expect(
      findFacts(
        profile({ preset: 'anthropic', models: { 'claude-sonnet-5': { prices: null } } }),
        'claude-sonnet-5',
        [],
      ).prices,
    ).toBeNull()
    expect(findFacts(profile({ preset: 'ollama' }), 'qwen3:8b', []).prices).toEqual({
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
    })
  })

  it('does not take prices of a maker for those of another server', () => {
    expect(findFacts(profile(own), 'claude-sonnet-5-5', []).prices).toBeNull()
  })

  it('says when its window is only assumed', () => {
    const gate = profile({ ...own, models: { m2: { context: 9_000 } } })
    expect(['m1', 'm2', 'm3'].map((id) => isWindowAssumed(gate, id, listed))).toEqual([false, false, true])
    expect(findFacts(gate, 'm3', listed).context).toBe(200_000)
    expect(findFacts(profile({ preset: 'ollama' }), 'm3', []).context).toBe(32_000)
  })

  it('keeps abilities that a person set', () => {
    const gate = profile({
      ...own,
      kind: 'openai',
      models: { m1: { images: false, thinking: 'always', effort: ['low'] } },
    })
    expect(findFacts(gate, 'm1', []).can).toMatchObject({
      images: false,
      thinking: 'always',
      efforts: ['low'],
      caching: false,
    })
  })
})
