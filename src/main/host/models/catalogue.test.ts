import { expect, it } from 'vitest'
import { efforts, type ModelPrices } from '#shared/model/models/model-facts.ts'
import { catalogue, findCatalogueLine } from './catalogue.ts'
import { providerPresets } from './presets.ts'

/** Where each maker publishes prices and windows. */
const hostsOf: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['platform.claude.com'],
  openai: ['developers.openai.com'],
  deepseek: ['api-docs.deepseek.com'],
  zai: ['docs.z.ai'],
  moonshot: ['platform.kimi.com', 'platform.kimi.ai'],
  minimax: ['platform.minimax.io'],
}
const keyed = catalogue.flatMap((line) => line.presets.map((preset) => ({ preset, line })))

it('has at least one model of each maker', () => {
  expect(new Set(keyed.map(({ preset }) => preset))).toEqual(new Set(Object.keys(hostsOf)))
})

it('names presets that exist, and a model once for each', () => {
  expect(keyed.filter(({ preset }) => !providerPresets.some(({ id }) => id === preset))).toEqual([])
  expect(new Set(keyed.map(({ preset, line }) => `${preset}/${line.id}`)).size).toBe(keyed.length)
})

it.each(keyed)('takes $preset/$line.id from a page of its maker', ({ preset, line }) => {
  const { protocol, hostname } = new URL(line.source.url)
  expect(protocol).toBe('https:')
  expect(hostsOf[preset]).toContain(hostname)
  expect(new Date(line.source.checked).toISOString().slice(0, 10)).toBe(line.source.checked)
})

it.each(catalogue)(
  'has a plausible window and plausible prices for $id',
  ({ context, maxOutput, prices, longPrompt }) => {
    expect(context).toBeGreaterThanOrEqual(100_000)
    expect(maxOutput ?? 1).toBeLessThanOrEqual(context)
    expectPlausible(prices)
    expectPlausible(longPrompt)
    if (!longPrompt) return
    expect(longPrompt.above).toBeLessThan(context)
    expect(longPrompt.input).toBeGreaterThan(prices?.input ?? Number.POSITIVE_INFINITY)
  },
)

function expectPlausible(prices: ModelPrices | null | undefined) {
  if (!prices) return
  expect(prices.cacheRead).toBeGreaterThanOrEqual(0)
  expect(prices.cacheRead).toBeLessThanOrEqual(prices.input)
  expect(prices.cacheWrite).toBeGreaterThanOrEqual(prices.input)
  expect(prices.output).toBeGreaterThanOrEqual(prices.input)
}

it.each(catalogue)('lists the efforts of $id lowest first', ({ can }) => {
  expect(can.efforts).toEqual(efforts.filter((effort) => can.efforts?.includes(effort)))
})

it('has the published prices of the model that is used unless a person chooses another', () => {
  expect(findCatalogueLine('anthropic', 'claude-sonnet-5-5')?.prices).toEqual({
    input: 2,
    output: 10,
    cacheRead: 0.1,
    cacheWrite: 2.5,
  })
})

it.each([
  ['anthropic', 'claude-haiku-4-5', 'Claude Haiku 4.5'],
  ['anthropic', 'claude-haiku-4-5-20251001', 'Claude Haiku 4.5'],
  ['anthropic', 'claude-opus-5', 'Claude Opus 5'],
  ['anthropic', 'claude-opus-5-5', 'Claude Opus 5.5'],
  ['openai', 'gpt-6.2-sol-2026-11-17', 'GPT-6.2 Sol'],
  ['minimax', 'MiniMax-M3', 'MiniMax M3'],
])('finds %s/%s', (preset, model, name) => {
  expect(findCatalogueLine(preset, model)?.name).toBe(name)
})

it.each([
  ['deepseek', 'claude-haiku-4-5'],
  ['ollama', 'glm-4.6'],
  ['anthropic', 'claude-haiku-4-5-fast'],
  ['anthropic', 'claude-opus-5-9'],
  ['anthropic', 'my-claude-opus-5'],
  ['anthropic', ''],
])('does not take %s/%s for a model that it knows', (preset, model) => {
  expect(findCatalogueLine(preset, model)).toBeUndefined()
})
