import { plural } from '#shared/text/plural.ts'
import { deedOf, riskWords } from '#shared/tools/card-words.ts'

/** Calls whose effects wait for a person, outside of their cards. */
export const effectStrings = {
  notice: (tool: string, what: string) => `It ${deedOf(tool)}. Look at what it did: ${what}`,
  announce: (tool: string, agent: string) => `Needs you: ${agent} ${deedOf(tool)}. Look at what it did`,
  waits: (what: string) => `Not kept yet: ${what}`,
  settled: {
    kept: 'kept',
    dropped: 'dropped',
    changesDropped: 'effects dropped',
    part: (files: string) => `kept only ${files}`,
    waits: 'not kept yet',
  },
} as const

/** What waits for a person, around the cards. The words of a card are in `later/card.ts`. */
export const approvalStrings = {
  group: (tool: string, agent: string) => `Approval: ${tool} by ${agent}`,
  position: (index: number, count: number) => `${index} of ${count}`,
  goTo: (index: number, text: string) => `Go to approval ${index}: ${text}`,
  risk: riskWords,
  mayReach: (hosts: string) => `it may reach ${hosts}`,
  /** Buttons that decide several calls at once: `asks` when none of them has run, `tried` when all have. */
  all: {
    asks: (count: number) => `Approve all ${count}`,
    tried: (count: number) => `Keep all ${count}`,
    both: (count: number) => `Keep or approve all ${count}`,
  },
  lowRisk: {
    asks: (count: number) => `Approve ${count} low-risk`,
    tried: (count: number) => `Keep ${count} low-risk`,
    both: (count: number) => `Keep or approve ${count} low-risk`,
  },
  leftOut: (count: number) =>
    `${plural(count, 'call is', 'calls are')} left out, because what you typed there is not valid.`,
  decidedElsewhere: (tool: string) => `${tool} was decided elsewhere`,
} as const
