import type { BatchStart } from '#shared/model/calls/call.ts'
import { costLimitOf } from '#shared/model/derived/batch.ts'
import {
  type AssumedPrice,
  addUsage,
  assumedCost,
  noSpending,
  noUsage,
  tokensOf,
  type Usage,
} from '#shared/model/models/usage.ts'
import { childrenOf, familyOf, type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { SpawningCall } from '../../tools/delegate/delegation.ts'
import type { AgentServices } from '../types/services.ts'
import type { AgentSettings, Budget, Budgets } from '../types/settings.ts'

/** The limits, and how those in dollars count a model of unknown price. */
export type BudgetSettings = Pick<AgentSettings, 'budgets' | 'unknownPrice'>

/** The limits of one batch: those of the settings, and in dollars what a person set for it, if that is less. */
export function budgetOfBatch({ batch: usual }: Budgets, batch: BatchStart): Budget {
  const own = costLimitOf(batch) ?? null
  if (own === null) return usual
  return { ...usual, cost: usual.cost === null ? own : Math.min(own, usual.cost) }
}

interface Spent {
  readonly usage: Usage
  readonly minutes: number
}

/**
 * The message of the first spent budget; undefined while there is room for another model call. `now` is in
 * milliseconds.
 */
export function spentBudget(
  state: ProjectState,
  thread: ThreadState,
  { budgets, unknownPrice }: BudgetSettings,
  now: number,
): string | undefined {
  const root = state.threads.get(rootThreadOf(state, thread.id)) ?? thread
  const spending = state.spending.get(root.id) ?? noSpending
  const minutes = minutesSince(root.runStartedAt ?? now, now)
  const own = () => ({ usage: thread.usage, minutes: minutesSince(thread.runStartedAt ?? now, now) })
  return (
    findExceeded(() => ({ usage: spending.run, minutes }), budgets.run, 'run', unknownPrice) ??
    findExceeded(() => ({ usage: spending.ever, minutes }), budgets.thread, 'thread', unknownPrice) ??
    (thread.parent === null
      ? undefined
      : (findExceeded(own, budgets.subagent, 'subagent', unknownPrice) ??
        batchesAbove(state, thread)
          .map((call) => spentBatchBudget(state, call, { budgets, unknownPrice }, now))
          .find((spent) => spent !== undefined)))
  )
}

/** The batches that a thread works for: that of its own call, and those of the agents above it. */
export function batchesAbove(
  state: Pick<ProjectState, 'threads'>,
  { parent }: Pick<ThreadState, 'parent'>,
): readonly (SpawningCall & { readonly batch: BatchStart })[] {
  if (parent === null) return []
  const { threadId, callId } = parent
  const above = state.threads.get(threadId)
  const batch = above?.calls.get(callId)?.batch
  return [...(batch ? [{ threadId, callId, batch }] : []), ...(above ? batchesAbove(state, above) : [])]
}

/** Everybody who works for a batch: its subagents, and all that they started. */
export function workersOf(state: ProjectState, { threadId, callId }: SpawningCall): readonly ThreadState[] {
  const own = childrenOf(state, threadId).filter(({ parent }) => parent?.callId === callId)
  return own.flatMap(({ id }) => familyOf(state, id))
}

/** Like `spentBudget`, for the budget of one batch. Also undefined for a call that is not a batch. */
export function spentBatchBudget(
  state: ProjectState,
  { threadId, callId }: SpawningCall,
  { budgets, unknownPrice }: BudgetSettings,
  now: number,
): string | undefined {
  const batch = state.threads.get(threadId)?.calls.get(callId)?.batch
  if (!batch) return undefined
  const spent = () => ({
    usage: sumOfUsage(workersOf(state, { threadId, callId })),
    minutes: minutesSince(batch.startedAt, now),
  })
  const budget = budgetOfBatch(budgets, batch)
  const isOwn = budget.cost !== budgets.batch.cost
  return findExceeded(spent, budget, 'batch', unknownPrice, isOwn ? wayOnOfOwnPrice : wayOn.batch)
}

/**
 * The message of the first exceeded limit. `count` runs only if there is a limit, because a thousand subagents ask
 * before every request.
 */
function findExceeded(
  count: () => Spent,
  budget: Budget,
  of: keyof Budgets,
  unknownPrice: AgentSettings['unknownPrice'],
  way = wayOn[of],
): string | undefined {
  if (Object.values(budget).every((limit) => limit === null)) return undefined
  const { usage, minutes } = count()
  if (usage.cost === null && budget.cost !== null && unknownPrice === 'refuse')
    return `Stopped: the price of a model of this ${of} is unknown, so its limit in dollars cannot hold. ${priceWayOn(of)}`
  const limits = [
    [
      usage.cost ?? (unknownPrice === 'refuse' ? null : assumedCost(usage, unknownPrice)),
      budget.cost,
      (most: number) => `$${most.toFixed(2)}`,
    ],
    [tokensOf(usage), budget.tokens, (most: number) => `${most} tokens`],
    [usage.modelCalls, budget.modelCalls, (most: number) => `${most} model calls`],
    [minutes, budget.minutes, (most: number) => `${most} minutes`],
  ] as const
  for (const [spent, most, words] of limits) {
    if (spent === null || most === null || spent < most) continue
    return `Stopped: the budget of this ${of} is spent (${words(most)}). ${way}`
  }
  return undefined
}

function priceWayOn(of: keyof Budgets): string {
  return `Set unknown_price in the settings to a price, or remove the limit (budgets.${of}.cost: null).`
}

const wayOn: Readonly<Record<keyof Budgets, string>> = {
  run: 'Continue to go on with a new one, or change budgets.run in the settings.',
  thread: 'Raise budgets.thread in the settings to go on.',
  batch: 'Raise budgets.batch in the settings and retry what failed.',
  subagent: 'Raise budgets.subagent in the settings, or give smaller tasks.',
}

/** For a batch whose price a person set while it ran. */
const wayOnOfOwnPrice = 'Raise its price on its screen while it runs, or retry what failed with that of the settings.'

/** What limits in dollars count a model with; null when its price is known or there is no such limit. */
export function assumedPriceOf(
  services: Pick<AgentServices, 'settings' | 'usualCost'>,
  model: string,
): AssumedPrice | null {
  const { budgets, unknownPrice } = services.settings()
  if (!firstLimit(budgets) || unknownPrice === 'refuse' || services.usualCost(model) !== null) return null
  return unknownPrice
}

/** Why a run with this model must not start: its limit in dollars could not hold. Undefined when it may. */
export function priceProblem(
  services: Pick<AgentServices, 'settings' | 'usualCost'>,
  model: string,
): string | undefined {
  const { budgets, unknownPrice } = services.settings()
  const limit = firstLimit(budgets)
  if (!limit || unknownPrice !== 'refuse' || services.usualCost(model) !== null) return undefined
  return `The price of ${model} is unknown, so the limit of $${limit.cost.toFixed(2)} could not hold. ${priceWayOn(limit.of)}`
}

/** The first limit in dollars that is set. */
function firstLimit(budgets: Budgets): { readonly of: keyof Budgets; readonly cost: number } | undefined {
  const limits = (['run', 'thread', 'batch', 'subagent'] as const).map((of) => ({ of, cost: budgets[of].cost }))
  return limits.find((limit): limit is { of: keyof Budgets; cost: number } => limit.cost !== null)
}

/** The message when the rest of a budget is too small for one more request. */
export function restSpent(of: keyof Budgets, { cost, tokens, modelCalls }: Budget): string {
  const limits = [
    cost === null ? [] : `$${cost.toFixed(2)}`,
    tokens === null ? [] : `${tokens} tokens`,
    modelCalls === null ? [] : `${modelCalls} model calls`,
  ]
  return `Stopped: the rest of the budget of this ${of} (${limits.flat().join(', ')}) is too small for another reply. ${wayOn[of]}`
}

/** The usage of all together. */
export function sumOfUsage(threads: readonly Pick<ThreadState, 'usage'>[]): Usage {
  return threads.reduce((all, { usage }) => addUsage(all, usage), noUsage)
}

function minutesSince(start: number, now: number): number {
  return Math.max(0, now - start) / 60_000
}
