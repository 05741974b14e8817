import type { ModelInfo } from '#core/ports/model-client.ts'

/** US dollars per million tokens. */
export interface Prices {
  readonly input: number
  readonly output: number
  /** For cache entries that live five minutes, the only kind this app writes. */
  readonly cacheWrite: number
  readonly cacheRead: number
}

export interface KnownModel extends ModelInfo {
  readonly maxOutput: number
  readonly prices: Prices
  /** Prices of the whole request when its input is longer than `above` tokens. */
  readonly longPrompt?: Prices & { readonly above: number }
  /** False when the provider answers a request with a temperature with an error. */
  readonly temperature: boolean
  /** The model thinks by default, and shows its thoughts only on request. */
  readonly adaptiveThinking: boolean
}

const prices = (input: number, output: number, cacheRead = input / 10): Prices => ({
  input,
  output,
  cacheWrite: input * 1.25,
  cacheRead,
})
const million = { contextWindow: 1_000_000, maxOutput: 128_000 }
const adaptive = { ...million, temperature: false, adaptiveThinking: true }
const earlier = { ...million, temperature: false, adaptiveThinking: false }

export const defaultModelId = 'claude-sonnet-5-5'

/** The provider's published windows and prices as of 2026-11-20, newest first within a line. */
export const knownModels: readonly KnownModel[] = [
  { id: defaultModelId, name: 'Claude Sonnet 5.5', ...adaptive, prices: prices(2, 10, 0.1) },
  { id: 'claude-fable-5-2', name: 'Claude Fable 5.2', ...adaptive, prices: prices(8, 40, 0.2) },
  { id: 'claude-opus-5-5', name: 'Claude Opus 5.5', ...adaptive, prices: prices(4, 20, 0.2) },
  {
    id: 'claude-haiku-5-5',
    name: 'Claude Haiku 5.5',
    ...adaptive,
    prices: prices(0.1, 0.5),
    longPrompt: { above: 100_000, ...prices(0.5, 2.5) },
  },
  { id: 'claude-fable-5-1', name: 'Claude Fable 5.1', ...adaptive, prices: prices(10, 50, 0.25) },
  { id: 'claude-sonnet-5', name: 'Claude Sonnet 5', ...adaptive, prices: prices(2, 10) },
  { id: 'claude-fable-5', name: 'Claude Fable 5', ...adaptive, prices: prices(10, 50) },
  { id: 'claude-opus-5', name: 'Claude Opus 5', ...adaptive, prices: prices(5, 25) },
  { id: 'claude-opus-4-8', name: 'Claude Opus 4.8', ...earlier, prices: prices(5, 25) },
  { id: 'claude-opus-4-7', name: 'Claude Opus 4.7', ...earlier, prices: prices(5, 25) },
  { id: 'claude-opus-4-6', name: 'Claude Opus 4.6', ...earlier, temperature: true, prices: prices(5, 25) },
  { id: 'claude-sonnet-4-6', name: 'Claude Sonnet 4.6', ...earlier, temperature: true, prices: prices(3, 15) },
  {
    id: 'claude-haiku-4-5',
    name: 'Claude Haiku 4.5',
    contextWindow: 200_000,
    maxOutput: 64_000,
    temperature: true,
    adaptiveThinking: false,
    prices: prices(1, 5),
  },
]

/** Finds the model also by a dated name such as `claude-haiku-4-5-20251001`. */
export function findModel(id: string): KnownModel | undefined {
  return knownModels.find(
    (model) => id === model.id || (/^-\d{8}$/.test(id.slice(model.id.length)) && id.startsWith(model.id)),
  )
}
