import { ModelError, type ModelInfo } from '#core/ports/model-client.ts'

/**
 * The models of a list. One in a form that nobody knows is left out. Throws `ModelError` when all of them are, and what
 * the list throws.
 */
export async function readModels(
  listed: AsyncIterable<object> | readonly object[],
  nameOf: (model: object) => string | null,
): Promise<readonly ModelInfo[]> {
  const models: ModelInfo[] = []
  let unknown: unknown
  for await (const model of listed) {
    try {
      const facts = listedFacts(model)
      const { id } = model as { readonly id: string }
      models.push({ id, name: nameOf(model) ?? id, ...facts })
    } catch (error) {
      unknown = error
    }
  }
  if (models.length === 0 && unknown !== undefined) throw unknown
  return models
}

/**
 * The window and prices of a listed model, under the names that servers of several makers use. Throws `ModelError` for
 * anything without an id. Call this before you read other fields of the model.
 */
export function listedFacts(listed: unknown): Pick<ModelInfo, 'contextWindow' | 'maxOutput' | 'prices'> {
  if (!isRecord(listed) || typeof listed.id !== 'string' || listed.id === '')
    throw new ModelError('bad_request', 'The server lists its models in a form that Coppice does not know.')
  const { top_provider: top, pricing } = listed
  const inner = isRecord(top) ? top : {}
  const window = sizeIn(listed, [
    'max_input_tokens',
    'context_length',
    'max_model_len',
    'context_window',
    'max_context_length',
  ])
  return {
    contextWindow: window,
    maxOutput: sizeIn(listed, ['max_tokens', 'max_output_tokens']) ?? sizeIn(inner, ['max_completion_tokens']),
    prices: isRecord(pricing) ? pricesIn(pricing) : null,
  }
}

/** Prices in dollars per token, as gateways list them. */
function pricesIn(pricing: Readonly<Record<string, unknown>>): ModelInfo['prices'] {
  const perMillion = (...names: readonly string[]) => {
    const price = numberIn(pricing, names)
    return price === null || !Number.isFinite(price * 1_000_000) ? null : price * 1_000_000
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
  return names.map((name) => numberOf(record[name])).find((number) => number !== null) ?? null
}

/** Tokens. Some servers say 0 for what they do not know. */
function sizeIn(record: Readonly<Record<string, unknown>>, names: readonly string[]): number | null {
  return names.map((name) => numberOf(record[name])).find((number) => number !== null && number > 0) ?? null
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
