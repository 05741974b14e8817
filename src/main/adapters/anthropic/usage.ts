import { type ReportedTokens, readCount } from '../model-http/count-tokens.ts'

/** Token counts as the provider reports them. A later report replaces the fields that it counts. */
export interface ReportedUsage {
  readonly input_tokens?: unknown
  readonly output_tokens?: unknown
  readonly cache_read_input_tokens?: unknown
  readonly cache_creation_input_tokens?: unknown
}

export function mergeUsage(before: ReportedUsage, next: ReportedUsage | null | undefined): ReportedUsage {
  const newest = (field: keyof ReportedUsage) => readCount(next?.[field]) ?? before[field]
  return {
    input_tokens: newest('input_tokens'),
    output_tokens: newest('output_tokens'),
    cache_read_input_tokens: newest('cache_read_input_tokens'),
    cache_creation_input_tokens: newest('cache_creation_input_tokens'),
  }
}

export function tokensOf(reported: ReportedUsage): ReportedTokens {
  return {
    inputTokens: reported.input_tokens,
    outputTokens: reported.output_tokens,
    cacheReadTokens: reported.cache_read_input_tokens,
    cacheWriteTokens: reported.cache_creation_input_tokens,
  }
}
