/** How much a model may think before it answers. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

/** US dollars per million tokens. */
export interface ModelPrices {
  /** Input that no cache has seen. */
  readonly input: number
  readonly output: number
  /** Input that is read from a cache. */
  readonly cacheRead: number
  /** Input that is written to a cache of the shortest life, the only kind that the app writes. */
  readonly cacheWrite: number
}

/** Prices of a whole request whose input is longer than `above` tokens. */
export interface LongPromptPrices extends ModelPrices {
  readonly above: number
}

/**
 * How a model thinks. `none`: it does not, or nobody knows. `optional`: when it is asked to. `adaptive`: unless it is asked
 * not to. `always`: nobody can switch it off.
 */
export const thinkingKinds = ['none', 'optional', 'adaptive', 'always'] as const
export type ThinkingKind = (typeof thinkingKinds)[number]

/** What a model can do, as far as it is known. */
export interface ModelAbilities {
  readonly tools: boolean
  /** Whether it reads images. */
  readonly images: boolean
  readonly thinking: ThinkingKind
  /** The efforts that can be asked for, lowest first; empty when none can. */
  readonly efforts: readonly Effort[]
  /** Whether its server keeps a cache that the app marks. */
  readonly caching: boolean
  /** False when a request with a temperature is refused. */
  readonly temperature: boolean
  /** Whether a request may have a `top_p`; absent for as with a temperature. */
  readonly topP?: boolean
  /** Whether a request may have a `top_k`; absent for as with a temperature. */
  readonly topK?: boolean
  /** Whether its server promises answers that fit a JSON Schema. */
  readonly schemas: boolean
}

/** What a request can say about how a model chooses its words, as makers and settings call it. */
export const samplingNames = ['temperature', 'top_p', 'top_k'] as const
export type SamplingName = (typeof samplingNames)[number]

/** Whether a model takes what a request can say about how it chooses its words. */
export function takesSampling({ temperature, topP, topK }: ModelAbilities, name: SamplingName): boolean {
  const own = { temperature, top_p: topP, top_k: topK }[name]
  return own ?? temperature
}

/** Counts of tokens that are priced apart. */
export interface PricedTokens {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

/** US dollars of one request. Null when the prices are not known. */
export function costOf(
  tokens: PricedTokens,
  { prices, longPrompt }: Pick<ModelFacts, 'prices' | 'longPrompt'>,
): number | null {
  const prompt = tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens
  const used = longPrompt && prompt > longPrompt.above ? longPrompt : prices
  if (!used) return null
  const dollars =
    tokens.inputTokens * used.input +
    tokens.outputTokens * used.output +
    tokens.cacheReadTokens * used.cacheRead +
    tokens.cacheWriteTokens * used.cacheWrite
  return dollars / 1_000_000
}

/** Everything that is known of one model of one profile. */
export interface ModelFacts {
  /** What its server calls it. */
  readonly id: string
  /** For people; the id when nobody gave it a name. */
  readonly name: string
  /** Tokens of input that it accepts. */
  readonly context: number
  /** Most tokens of one reply; null while unknown. */
  readonly maxOutput: number | null
  /** Null while unknown. All zero for a model that costs nothing. */
  readonly prices: ModelPrices | null
  readonly longPrompt: LongPromptPrices | null
  readonly can: ModelAbilities
}
