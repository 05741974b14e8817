import type { ChecksView } from '#shared/contract/checks.ts'
import type { BranchChecks, CheckDefinition, CheckResult, CheckState, CheckView } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'

/** A check as a project's settings define it. */
export function checkNamed(name: string): CheckDefinition {
  return { name, run: `npm run ${name}`, paths: [], timeoutSeconds: 600, on: ['branch', 'merge'], required: true }
}

export function checksViewOf(names: readonly string[], rest: Partial<ChecksView> = {}): ChecksView {
  return { checks: names.map(checkNamed), problems: [], proposals: [], ...rest }
}

/** A check of a branch in a state. All but the states without a result have one, stored by the entry 7. */
export function viewOf(name: string, state: CheckState, required = true): CheckView {
  const hasResult = state !== 'none' && state !== 'queued'
  const outcome = state === 'red' || state === 'flaky' ? state : 'green'
  const last = {
    sequence: 7,
    outcome,
    exitCode: outcome === 'green' ? 0 : 1,
    durationMs: 1400,
    at: 0,
    note: '',
  } as const
  return { name, required, state, last: hasResult ? last : null }
}

export function standingOf(branchId: BranchId, state: CheckState, checks: readonly CheckView[]): BranchChecks {
  return { branchId, state, checks }
}

export function resultOf(check: string, rest: Partial<CheckResult> = {}): CheckResult {
  return {
    check,
    key: check,
    tree: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    environment: [],
    outcome: 'red',
    exitCode: 1,
    output: `${check} failed\n`,
    note: '',
    dropped: [],
    durationMs: 1400,
    ...rest,
  }
}
