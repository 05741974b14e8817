import { success } from '#shared/base/result.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { listFailed } from '../../checks/failed-checks.ts'
import { unknownCheck } from '../../checks/project-checks.ts'
import type { ThreadGoal } from '../types/loop-context.ts'
import type { AgentServices } from '../types/services.ts'

/** The goal of a thread: its own, or that of the settings. */
export function threadGoal(
  { checks, settings }: Pick<AgentServices, 'checks' | 'settings'>,
  thread: () => ThreadState,
): ThreadGoal {
  const current = () => {
    const { parent, goal } = thread()
    if (parent !== null) return null
    return goal === undefined ? settings().goal : goal
  }
  return {
    current,
    problem() {
      const all = checks.definitions()
      const unknown = current()?.checks?.find((name) => !all.some((one) => one.name === name))
      return unknown === undefined ? null : `The goal cannot be reached. ${unknownCheck(unknown, all)}`
    },
    async check(signal) {
      const names = current()?.checks ?? null
      const { branchId } = thread()
      const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', again: false } as const
      const results = await checks.run({ ...request, names, by: 'agent' }, signal)
      if (!results.ok) return results
      if (names === null) return success(listFailed(checks.definitions(), results.value))
      // A check that the goal names counts, also one that is not required elsewhere.
      return success(results.value.filter(({ outcome }) => outcome !== 'green'))
    },
  }
}
