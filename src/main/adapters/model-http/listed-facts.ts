import type { ModelInfo } from '#core/ports/model-client.ts'

/** The window and prices of a listed model, under the names that servers of several makers use. */
export function listedFacts(model: object): Pick<ModelInfo, 'contextWindow' | 'maxOutput' | 'prices'> {
  const listed = model as Readonly<Record<string, unknown>>
  const { top_provider: top, pricing } = listed
  const inner = isRecord(top) ? top : {}
  const window = numberIn(listed, [
    'max_input_tokens',
    'context_length',
    'max_model_len',
    'context_window',
    'max_context_length',
  ])
  return {
    contextWindow: window,
    maxOutput: numberIn(listed, ['max_tokens', 'max_output_tokens']) ?? numberIn(inner, ['max_completion_tokens']),
    prices: isRecord(pricing) ? pricesIn(pricing) : null,
  }
}

/** Prices in dollars per token, as gateways list them. */
function pricesIn(pricing: Readonly<Record<string, unknown>>): ModelInfo['prices'] {
  const perMillion = (...names: readonly string[]) => {
    const price = numberIn(pricing, names)
    return price === null ? null : price * 1_000_000
  }
  const [input, output] = [perMillion('prompt', 'input'), perMillion('completion', 'output')]
  if (input === null || output === null) return null
  return {
    input,
    output,
    cacheRead: perMillion('input_cache_read', 'cache_read') ?? input,
    cacheWrite: perMillion('input_cache_write', 'cache_write') ?? input,
  }
}

/** The first of the fields that is a number, or a text that is one, of zero or more. */
function numberIn(record: Readonly<Record<string, unknown>>, names: readonly string[]): number | null {
  for (const name of names) {
    const value = record[name]
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number
  }
  return null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
