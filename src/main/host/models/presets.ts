import type { ModelAbilities } from '#shared/model/model-facts.ts'

/** How a server is spoken to. */
export const providerKinds = ['anthropic', 'openai', 'bedrock', 'vertex', 'foundry'] as const
export type ProviderKind = (typeof providerKinds)[number]

/** A server that many people use, as data. A profile takes from it what it does not say itself. */
export interface ProviderPreset {
  /** The name in `preset`, and of the profile that is made from it. */
  readonly id: string
  /** For people. */
  readonly name: string
  readonly kind: ProviderKind
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly scheme: 'x-api-key' | 'bearer' | 'none'
  /** The environment variable that usually holds the key; null for none. */
  readonly env: string | null
  /** The address of a server on this machine is asked for its models when a person looks for local servers. */
  readonly local: boolean
  /** True when its models cost nothing for each token. */
  readonly free: boolean
  /** Most requests at the same time. */
  readonly concurrency: number
  /** How thoughts of the model go back to it. See `providers` in the settings. */
  readonly thoughts: 'signed' | 'all' | 'as_text'
  /** What its models can do unless more is known. */
  readonly can: Partial<ModelAbilities>
  /** Where a person gets a key or the server, and the page that the values were taken from. */
  readonly page: string
}
