import type { Usage } from '#shared/model/usage.ts'
import { findModel, type Prices } from './models.ts'

/** Token counts as the provider reports them. A later report replaces the fields it contains. */
export interface ReportedUsage {
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
}

export function mergeUsage(before: ReportedUsage, next: ReportedUsage | null | undefined): ReportedUsage {
  return {
    input_tokens: next?.input_tokens ?? before.input_tokens ?? 0,
    output_tokens: next?.output_tokens ?? before.output_tokens ?? 0,
    cache_read_input_tokens: next?.cache_read_input_tokens ?? before.cache_read_input_tokens ?? 0,
    cache_creation_input_tokens: next?.cache_creation_input_tokens ?? before.cache_creation_input_tokens ?? 0,
  }
}

/** The cost is null when the price of the model is not known. */
export function toUsage(model: string, reported: ReportedUsage): Usage {
  const counts = {
    inputTokens: reported.input_tokens ?? 0,
    outputTokens: reported.output_tokens ?? 0,
    cacheReadTokens: reported.cache_read_input_tokens ?? 0,
    cacheWriteTokens: reported.cache_creation_input_tokens ?? 0,
  }
  const prompt = counts.inputTokens + counts.cacheReadTokens + counts.cacheWriteTokens
  const prices = pricesFor(model, prompt)
  return { modelCalls: 1, ...counts, cost: prices ? costOf(counts, prices) : null }
}

function pricesFor(model: string, promptTokens: number): Prices | undefined {
  const known = findModel(model)
  if (known?.longPrompt && promptTokens > known.longPrompt.above) return known.longPrompt
  return known?.prices
}

function costOf(counts: Omit<Usage, 'modelCalls' | 'cost'>, prices: Prices): number {
  const dollars =
    counts.inputTokens * prices.input +
    counts.outputTokens * prices.output +
    counts.cacheReadTokens * prices.cacheRead +
    counts.cacheWriteTokens * prices.cacheWrite
  return dollars / 1_000_000
}
