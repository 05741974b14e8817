import {
  type BranchChecks,
  type CheckDefinition,
  type CheckRecord,
  type CheckRecords,
  type CheckView,
  checkStates,
} from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'

interface BranchSources {
  readonly branchId: BranchId
  readonly records: CheckRecords
  /** Each with the key that a result for the present tree has. */
  readonly checks: readonly { readonly definition: CheckDefinition; readonly key: string }[]
  readonly active: readonly { readonly check: string; readonly state: 'queued' | 'running' }[]
}

/** What is known about the checks of one branch. A result for another tree is stale. */
export function viewBranch({ branchId, records, checks, active }: BranchSources): BranchChecks {
  const ofBranch = records.byBranch.get(branchId) ?? []
  const views = checks.map(({ definition: { name, required }, key }): CheckView => {
    const present = records.byKey.get(key)
    const record = present ?? ofBranch.find(({ check }) => check === name)
    const busy = active.filter(({ check }) => check === name).map(({ state }) => state)
    const known = present?.outcome ?? (record ? 'stale' : 'none')
    const state = busy.includes('running') ? 'running' : (busy[0] ?? known)
    return { name, required, state, last: record ? lastOf(record) : null }
  })
  const states = new Set(views.map(({ state }) => state))
  return { branchId, state: checkStates.find((one) => states.has(one)) ?? 'none', checks: views }
}

function lastOf({ sequence, outcome, exitCode, durationMs, at, note }: CheckRecord): NonNullable<CheckView['last']> {
  return { sequence, outcome, exitCode, durationMs, at, note }
}
