import type { BranchChecks, CheckState, CheckView } from '#shared/model/check.ts'

/** The states in the order in which a person wants to see them. */
const urgent: readonly CheckState[] = ['red', 'flaky', 'running', 'stale', 'queued', 'none', 'green']

/** How many branches stand in each state, the most urgent first. */
export function countStates(checks: Iterable<BranchChecks>): readonly (readonly [CheckState, number])[] {
  const states = [...checks].map(({ state }) => state)
  return urgent.flatMap((state) => {
    const count = states.filter((one) => one === state).length
    return count === 0 ? [] : [[state, count] as const]
  })
}

/** True while a check of the branch runs or waits for its turn. */
export function isWorking({ checks }: BranchChecks): boolean {
  return checks.some(({ state }) => state === 'running' || state === 'queued')
}

/** The name of the check whose output tells most; null without checks. */
export function firstToShow(checks: readonly CheckView[]): string | null {
  const byUrgency = [...checks].sort((a, b) => urgent.indexOf(a.state) - urgent.indexOf(b.state))
  return byUrgency[0]?.name ?? null
}

/** The names of required checks that failed, also now and then, on the present files. */
export function redRequired({ checks }: BranchChecks): readonly string[] {
  return checks
    .filter(({ required, state }) => required && (state === 'red' || state === 'flaky'))
    .map(({ name }) => name)
}
