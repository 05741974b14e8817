import type { PricedTokens } from '#shared/model/models/model-facts.ts'

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

export function tokensOf(reported: ReportedUsage): PricedTokens {
  return {
    inputTokens: reported.input_tokens ?? 0,
    outputTokens: reported.output_tokens ?? 0,
    cacheReadTokens: reported.cache_read_input_tokens ?? 0,
    cacheWriteTokens: reported.cache_creation_input_tokens ?? 0,
  }
}
