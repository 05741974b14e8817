import type { LongPromptPrices, ModelAbilities, ModelPrices } from '#shared/model/model-facts.ts'

/** One model as its maker publishes it. A person's settings override each field. */
export interface CatalogueLine {
  /** What the maker's own server calls it. */
  readonly id: string
  readonly name: string
  /** The presets under which the line holds: prices are those of these servers. */
  readonly presets: readonly string[]
  /** Tokens. */
  readonly context: number
  /** Tokens; null when the maker does not say. */
  readonly maxOutput: number | null
  /** Null when the maker does not say. */
  readonly prices: ModelPrices | null
  readonly longPrompt?: LongPromptPrices
  readonly can: Partial<ModelAbilities>
  /** The maker's page that says so, and the day on which the line was compared with it (or with its stored copy). */
  readonly source: { readonly url: string; readonly checked: string }
}
