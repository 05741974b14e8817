import type { ModelFacts } from '#shared/model/models/model-facts.ts'

/** How an adapter reaches one server of models. The host makes it from a profile. */
export interface ModelServer {
  /** The name of the profile, for messages. */
  readonly profile: string
  /** The base address without a slash at its end. Read before every request, so that a change counts at once. */
  readonly address: () => string
  /**
   * The headers that carry the secret, and the person's own. Read before every request. A null value keeps the SDK from
   * sending that header. Throws `ModelError` `no_key`, and the abort reason.
   */
  readonly headers: (signal: AbortSignal) => Promise<Readonly<Record<string, string | null>>>
  /** Call after the server refused the secret. True when the next headers may carry another one. Absent for never. */
  readonly renewSecret?: () => boolean
  /** The text without the secret that was sent. Absent when there is none. */
  readonly hideSecret?: (text: string) => string
  /** What is known of a model, by the name that the server knows it under. */
  readonly factsOf: (model: string) => ModelFacts
  /** What the server is known to refuse. */
  readonly dialect: Dialect
  /** Milliseconds that a stream may stay silent before it is given up. The adapter has a default. */
  readonly stallMs?: number
}

/**
 * Parts of requests that a server refused and that can be left out, by model: the models behind one gateway differ. It
 * is learned from answers, so that nobody maintains a list of servers and versions.
 */
export interface Dialect {
  refusedBy(model: string): ReadonlySet<string>
  /** Keeps that the server refuses a part of requests to the model. */
  learn(model: string, part: string): void
  /** What the server said that it takes of requests to the model. */
  limitsOf(model: string): LearnedLimits
  /** Keeps a limit that the server named in a refusal. */
  learnLimits(model: string, limits: LearnedLimits): void
}

/** In tokens. Absent where the server never named a limit. */
export interface LearnedLimits {
  /** Of input and reply together. */
  readonly context?: number | undefined
  /** Of a reply. */
  readonly maxOutput?: number | undefined
}

/** The facts of a model within what its server named. */
export function withinLimits(facts: ModelFacts, { context, maxOutput }: LearnedLimits): ModelFacts {
  if (context === undefined && maxOutput === undefined) return facts
  return {
    ...facts,
    context: Math.min(facts.context, context ?? facts.context),
    maxOutput: maxOutput === undefined ? facts.maxOutput : Math.min(facts.maxOutput ?? maxOutput, maxOutput),
  }
}

/** A dialect that lives as long as the object. */
export function createDialect(): Dialect {
  const known = new Map<string, ReadonlySet<string>>()
  const limits = new Map<string, LearnedLimits>()
  const refusedBy = (model: string): ReadonlySet<string> => known.get(model) ?? new Set()
  const limitsOf = (model: string): LearnedLimits => limits.get(model) ?? {}
  return {
    refusedBy,
    learn: (model, part) => void known.set(model, new Set([...refusedBy(model), part])),
    limitsOf,
    learnLimits: (model, named) => void limits.set(model, { ...limitsOf(model), ...named }),
  }
}
