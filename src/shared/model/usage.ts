/** Tokens of one or more model calls. */
export interface Usage {
  readonly modelCalls: number
  /** Input tokens that were neither read from nor written to the cache. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** US dollars; null when the model's price is not known. */
  readonly cost: number | null
  /** In a sum with `cost` null: what its calls of known price cost, and the tokens of the others. */
  readonly unpriced?: Unpriced | undefined
}

/** The parts of a sum of which only some calls have a known price. */
export interface Unpriced {
  /** US dollars of the calls whose price is known. */
  readonly cost: number
  /** Tokens of the calls whose price is unknown, cached or not. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** For estimates, until the provider has counted. */
export const charactersPerToken = 4

export const noUsage: Usage = {
  modelCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost: 0,
}

export function addUsage(a: Usage, b: Usage): Usage {
  const isKnown = a.cost !== null && b.cost !== null
  return {
    ...(!isKnown && { unpriced: addUnpriced(unpricedOf(a), unpricedOf(b)) }),
    modelCalls: a.modelCalls + b.modelCalls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    cost: a.cost === null || b.cost === null ? null : a.cost + b.cost,
  }
}

function unpricedOf({ cost, unpriced, ...usage }: Usage): Unpriced {
  if (cost !== null) return { cost, inputTokens: 0, outputTokens: 0 }
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
  return unpriced ?? { cost: 0, inputTokens: read, outputTokens: usage.outputTokens }
}

function addUnpriced(a: Unpriced, b: Unpriced): Unpriced {
  return {
    cost: a.cost + b.cost,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  }
}

/** US dollars per million tokens, for a model whose price is unknown. */
export interface AssumedPrice {
  /** For all input, cached or not. */
  readonly input: number
  readonly output: number
}

/** What the usage costs in US dollars, when tokens of unknown price cost what is assumed. */
export function assumedCost(usage: Usage, { input, output }: AssumedPrice): number {
  const { cost, inputTokens, outputTokens } = unpricedOf(usage)
  return cost + (inputTokens * input + outputTokens * output) / 1_000_000
}

export function tokensOf(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
}

/** The spending of a root agent and everything below it. A rewind never reduces it. */
export interface Spending {
  readonly ever: Usage
  /** Since its run began: its own spending and that of the subagents started since. */
  readonly run: Usage
}

export const noSpending: Spending = { ever: noUsage, run: noUsage }
