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
 * How a model thinks. `none`: it does not, or nobody knows. `adaptive`: it decides by itself, and shows its thoughts
 * when it is asked to. `always`: it cannot be switched off.
 */
export const thinkingKinds = ['none', 'adaptive', 'always'] as const
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
