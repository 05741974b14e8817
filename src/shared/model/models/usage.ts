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
  /** In a sum with `cost` null: US dollars of the calls whose price is known. */
  readonly knownCost?: number | undefined
  /** In a sum with `cost` null: input of the calls whose price is unknown, cached or not. */
  readonly unpricedInput?: number | undefined
  /** In a sum with `cost` null: output of the calls whose price is unknown. */
  readonly unpricedOutput?: number | undefined
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
    ...(!isKnown && addUnpriced(unpricedOf(a), unpricedOf(b))),
    modelCalls: a.modelCalls + b.modelCalls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    cost: a.cost === null || b.cost === null ? null : a.cost + b.cost,
  }
}

/** The parts of a usage of which only some calls have a known price. Plain numbers, so that sums compare by value. */
interface Unpriced {
  readonly knownCost: number
  readonly unpricedInput: number
  readonly unpricedOutput: number
}

function unpricedOf(usage: Usage): Unpriced {
  if (usage.cost !== null) return { knownCost: usage.cost, unpricedInput: 0, unpricedOutput: 0 }
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
  const { knownCost = 0, unpricedInput = read, unpricedOutput = usage.outputTokens } = usage
  return { knownCost, unpricedInput, unpricedOutput }
}

function addUnpriced(a: Unpriced, b: Unpriced): Unpriced {
  return {
    knownCost: a.knownCost + b.knownCost,
    unpricedInput: a.unpricedInput + b.unpricedInput,
    unpricedOutput: a.unpricedOutput + b.unpricedOutput,
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
  const { knownCost, unpricedInput, unpricedOutput } = unpricedOf(usage)
  return knownCost + (unpricedInput * input + unpricedOutput * output) / 1_000_000
}

/** US dollars of the calls whose price is known. */
export function knownCostOf(usage: Usage): number {
  return unpricedOf(usage).knownCost
}

/** Tokens of the calls whose price is unknown. */
export function unpricedTokensOf(usage: Usage): number {
  const { unpricedInput, unpricedOutput } = unpricedOf(usage)
  return unpricedInput + unpricedOutput
}

/** All input of the usage, cached or not, in tokens. */
export function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens
}

/** The part of the input that was read from the cache, from 0 to 1. Null without input. */
export function cachedShareOf(usage: Usage): number | null {
  const input = inputOf(usage)
  return input === 0 ? null : usage.cacheReadTokens / input
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
