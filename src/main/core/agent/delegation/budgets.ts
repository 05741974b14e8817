import { childrenOf, type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { addUsage, noSpending, noUsage, tokensOf, type Usage } from '#shared/model/usage.ts'
import type { SpawningCall } from '../../tools/delegate/delegation.ts'
import type { Budget, Budgets } from '../types/settings.ts'

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
  budgets: Budgets,
  now: number,
): string | undefined {
  const root = state.threads.get(rootThreadOf(state, thread.id)) ?? thread
  const spending = state.spending.get(root.id) ?? noSpending
  const minutes = minutesSince(root.runStartedAt ?? now, now)
  const own = () => ({ usage: thread.usage, minutes: minutesSince(thread.runStartedAt ?? now, now) })
  return (
    findExceeded(() => ({ usage: spending.run, minutes }), budgets.run, 'run') ??
    findExceeded(() => ({ usage: spending.ever, minutes }), budgets.thread, 'thread') ??
    (thread.parent === null
      ? undefined
      : (findExceeded(own, budgets.subagent, 'subagent') ?? spentBatchBudget(state, thread.parent, budgets, now)))
  )
}

/** Like `spentBudget`, for the budget of one batch. Also undefined for a call that is not a batch. */
export function spentBatchBudget(
  state: ProjectState,
  { threadId, callId }: SpawningCall,
  budgets: Budgets,
  now: number,
): string | undefined {
  const batch = state.threads.get(threadId)?.calls.get(callId)?.batch
  if (!batch) return undefined
  const subagents = () => childrenOf(state, threadId).filter(({ parent }) => parent?.callId === callId)
  const spent = () => ({ usage: sum(subagents()), minutes: minutesSince(batch.startedAt, now) })
  return findExceeded(spent, budgets.batch, 'batch')
}

/**
 * The message of the first exceeded limit. `count` runs only if there is a limit, because a thousand subagents ask
 * before every request.
 */
function findExceeded(count: () => Spent, budget: Budget, of: keyof Budgets): string | undefined {
  if (Object.values(budget).every((limit) => limit === null)) return undefined
  const { usage, minutes } = count()
  const limits = [
    [usage.cost, budget.cost, (most: number) => `$${most.toFixed(2)}`],
    [tokensOf(usage), budget.tokens, (most: number) => `${most} tokens`],
    [usage.modelCalls, budget.modelCalls, (most: number) => `${most} model calls`],
    [minutes, budget.minutes, (most: number) => `${most} minutes`],
  ] as const
  for (const [spent, most, words] of limits) {
    if (spent === null || most === null || spent < most) continue
    return `Stopped: the budget of this ${of} is spent (${words(most)}). ${wayOn[of]}`
  }
  return undefined
}

const wayOn: Readonly<Record<keyof Budgets, string>> = {
  run: 'Continue to go on with a new one, or change budgets.run in the settings.',
  thread: 'Raise budgets.thread in the settings to go on.',
  batch: 'Raise budgets.batch in the settings and retry what failed.',
  subagent: 'Raise budgets.subagent in the settings, or give smaller tasks.',
}

function sum(threads: readonly Pick<ThreadState, 'usage'>[]): Usage {
  return threads.reduce((all, { usage }) => addUsage(all, usage), noUsage)
}

function minutesSince(start: number, now: number): number {
  return Math.max(0, now - start) / 60_000
}
