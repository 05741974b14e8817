import { noUsage, type Usage } from './usage.ts'

/** What a root agent and all below it used. No rewind gives any of it back. */
export interface Spending {
  readonly ever: Usage
  /** Since its run began, by itself and by the subagents that were started since. */
  readonly run: Usage
}

export const noSpending: Spending = { ever: noUsage, run: noUsage }
