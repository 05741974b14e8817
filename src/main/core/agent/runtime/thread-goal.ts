import { emptyTree } from '#overlay'
import { success } from '#shared/base/result.ts'
import type { CheckResult, Goal } from '#shared/model/check.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import { describeChange } from '../../checks/describe-change.ts'
import { listFailed } from '../../checks/failed-checks.ts'
import { unknownCheck } from '../../checks/project-checks.ts'
import type { ThreadGoal } from '../types/loop-context.ts'
import type { AgentServices } from '../types/services.ts'

/** Characters of the change, and of the end of each check's output, that a grader sees. */
const mostOfChange = 60_000
const mostOfOutput = 3_000

/** The goal of a thread: its own, or that of the settings. `delegated` is that of a subagent's definition. */
export function threadGoal(services: AgentServices, thread: () => ThreadState, delegated: Goal | null): ThreadGoal {
  const { checks, settings, log } = services
  const current = () => {
    const { parent, goal } = thread()
    if (parent !== null) return delegated
    return goal === undefined ? settings().goal : goal
  }
  const run = (names: readonly string[] | null, signal: AbortSignal) => {
    const { branchId } = thread()
    const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', again: false } as const
    return checks.run({ ...request, names, by: 'agent' }, signal)
  }
  return {
    current,
    isDelegated: thread().parent !== null,
    problem() {
      const all = checks.definitions()
      const unknown = current()?.checks?.find((name) => !all.some((one) => one.name === name))
      return unknown === undefined ? null : `The goal cannot be reached. ${unknownCheck(unknown, all)}`
    },
    async check(signal) {
      const names = current()?.checks ?? null
      if (checks.definitions().length === 0) return success([])
      const results = await run(names, signal)
      if (!results.ok) return results
      if (names === null) return success(listFailed(checks.definitions(), results.value))
      // A check that the goal names counts, also one that is not required elsewhere.
      return success(results.value.filter(({ outcome }) => outcome !== 'green'))
    },
    async findEvidence(signal) {
      const { branchId } = thread()
      const from = log.trees.forkPoints.get(branchId) ?? emptyTree
      const to = log.trees.heads.get(branchId) ?? emptyTree
      const results = checks.definitions().length === 0 ? success([]) : await run(null, signal)
      const change = await describeChange(services, { from, to, most: mostOfChange })
      return {
        change: change.text,
        unseen: change.unseen,
        checks: results.ok ? results.value.map(describeResult).join('\n') || '(no checks)' : results.error,
      }
    },
  }
}

function describeResult({ check, outcome, exitCode, output }: CheckResult): string {
  const end = output.length > mostOfOutput ? `… ${tailOf(output, mostOfOutput)}` : output
  return `${check}: ${outcome}${exitCode === null ? '' : `, exit code ${exitCode}`}\n${end.trimEnd()}`
}
