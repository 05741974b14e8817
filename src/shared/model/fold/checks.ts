import type { CheckRecord } from '../check.ts'
import type { Entry } from '../entry.ts'
import type { ProjectState } from '../project-state.ts'

/** Keeps the newest result for each key, and for each check of a branch. A rewind leaves them: they are about trees. */
export function foldChecks(state: ProjectState, entry: Entry): ProjectState {
  if (entry.type !== 'check.finished') return state
  const { branchId, on, at, sequence } = entry
  const { check, key, tree, outcome, exitCode, durationMs, note } = entry.result
  const record: CheckRecord = { sequence, branchId, on, at, check, key, tree, outcome, exitCode, durationMs, note }
  const ofBranch = (state.checks.byBranch.get(branchId) ?? []).filter((one) => one.check !== check)
  const byBranch = on === 'merge' ? state.checks.byBranch : state.checks.byBranch.with(branchId, [...ofBranch, record])
  return { ...state, checks: { byKey: state.checks.byKey.with(key, record), byBranch } }
}
