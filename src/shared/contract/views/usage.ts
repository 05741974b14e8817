import type { Usage } from '../../model/usage.ts'

/** What a project used on one day. */
export interface DayUsage {
  /** The beginning of the day, in milliseconds since the Unix epoch. */
  readonly start: number
  /** In the order in which the models were first asked that day; empty for a day without requests. */
  readonly models: readonly { readonly model: string; readonly usage: Usage }[]
}
