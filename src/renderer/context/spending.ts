import type { ThreadState } from '#shared/model/thread.ts'
import { addUsage, noUsage, type Usage } from '#shared/model/usage.ts'

/** What agents of one name spent on one model. */
export interface Spending {
  readonly agent: string
  readonly model: string
  readonly usage: Usage
}

/** Spending of a family of threads by agent and model, in the order they began. */
export function spendingOf(family: readonly Pick<ThreadState, 'agent' | 'usageByModel'>[]): readonly Spending[] {
  const byKey = new Map<string, Spending>()
  for (const { agent, usageByModel } of family) {
    for (const [model, usage] of usageByModel.entries()) {
      const key = `${agent}\n${model}`
      byKey.set(key, { agent, model, usage: addUsage(byKey.get(key)?.usage ?? noUsage, usage) })
    }
  }
  return [...byKey.values()]
}
