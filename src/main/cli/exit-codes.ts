/** Exit codes of every command. Scripts rely on them. */
export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 3, budget: 4, checks: 5, stopped: 130 } as const

export function exitCodeFor(end: { readonly status: string; readonly reason: string }): number {
  if (end.reason === 'budget') return exitCodes.budget
  if (end.reason === 'checks') return exitCodes.checks
  switch (end.status) {
    case 'done':
      return exitCodes.done
    case 'interrupted':
      return exitCodes.interrupted
    case 'stopped':
      return exitCodes.stopped
    default:
      return exitCodes.failed
  }
}
