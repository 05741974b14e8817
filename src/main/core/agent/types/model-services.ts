import type { Result } from '#shared/base/result.ts'
import type { PricedTokens, SamplingName } from '#shared/model/models/model-facts.ts'
import type { ModelClient } from '../../ports/model-client.ts'
import type { ModelGate } from '../model/model-gate.ts'

/** What agents ask about models. */
export interface ModelServices {
  /** The client that serves a model, by the model's id. */
  readonly modelFor: (model: string) => ModelClient
  /** The full name of a model, as threads keep it, or why no profile has it. */
  readonly resolveModel: (model: string) => Result<string, string>
  /** The newest model of a family in the profile of another model, or in the usual one for null. Null without one. */
  readonly newestOf: (family: string, besides: string | null) => string | null
  /** Size of a model's window, in tokens. */
  readonly contextWindow: (model: string) => Promise<number>
  /** US dollars that a small task costs with a model. Null when its price is unknown. */
  readonly usualCost: (model: string) => number | null
  /** US dollars of a model's tokens. Null when its price is unknown. */
  readonly costOf: (model: string, tokens: PricedTokens) => number | null
  /** What a request to the model leaves out of what it could say about the choice of words. */
  readonly leftOutSampling: (model: string) => readonly SamplingName[]
  /** Limits how many requests to a model's server run at once. */
  readonly gateFor: (model: string) => ModelGate
}
