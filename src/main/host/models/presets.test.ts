import { expect, it } from 'vitest'
import { type ProviderPreset, providerPresets } from './presets.ts'

const clouds = ['bedrock', 'vertex', 'foundry']
const addressed = providerPresets.filter(({ kind }) => !clouds.includes(kind))
const isOfThisMachine = ({ baseUrl }: ProviderPreset) => new URL(baseUrl).hostname === '127.0.0.1'
const namesOf = (presets: readonly ProviderPreset[]) => presets.map(({ id }) => id)

it('covers the servers that people ask for, each under one id', () => {
  expect(namesOf(providerPresets).toSorted()).toEqual([
    'anthropic',
    'bedrock',
    'deepseek',
    'foundry',
    'litellm',
    'llamacpp',
    'lmstudio',
    'minimax',
    'moonshot',
    'ollama',
    'ollama-cloud',
    'openai',
    'openrouter',
    'sglang',
    'vercel',
    'vertex',
    'vllm',
    'zai',
  ])
})

it('leaves the address of a cloud to its SDK, and of nothing else', () => {
  expect(namesOf(providerPresets.filter(({ baseUrl }) => baseUrl === ''))).toEqual(clouds)
})

it.each(addressed)('has an address for $id to which a path can be added', ({ baseUrl }) => {
  const { href, search, hash } = new URL(baseUrl)
  expect([href.startsWith(baseUrl), baseUrl.endsWith('/'), search, hash]).toEqual([true, false, '', ''])
})

it('speaks to other machines only over TLS', () => {
  const open = addressed.filter(({ baseUrl }) => new URL(baseUrl).protocol !== 'https:')
  expect(open.filter((preset) => !isOfThisMachine(preset))).toEqual([])
})

it('looks for local servers on this machine alone, each at a port of its own', () => {
  const local = addressed.filter((preset) => preset.local)
  expect(namesOf(local)).toEqual(namesOf(addressed.filter(isOfThisMachine)))
  expect(new Set(local.map(({ baseUrl }) => new URL(baseUrl).port)).size).toBe(local.length)
})

it('adds the version to the address where the SDK of OpenAI does not', () => {
  for (const { id, kind, baseUrl } of addressed) expect([id, baseUrl.endsWith('/v1')]).toEqual([id, kind === 'openai'])
})

it('names a variable exactly where a key is sent', () => {
  for (const { id, scheme, env } of providerPresets) expect([id, env !== null]).toEqual([id, scheme !== 'none'])
})

it('costs nothing only on this machine', () => {
  expect(providerPresets.filter(({ free, local }) => free && !local)).toEqual([])
})

it('sends at least one request at a time, and links a page to read', () => {
  for (const { concurrency, page } of providerPresets) {
    expect(concurrency).toBeGreaterThanOrEqual(1)
    expect(new URL(page).protocol).toBe('https:')
  }
})
