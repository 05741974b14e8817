import type { CheckDefinition, CheckResult } from '#shared/model/check.ts'

/** The results of required checks that are not green. A flaky one is not. */
export function listFailed(
  definitions: readonly CheckDefinition[],
  results: readonly CheckResult[],
): readonly CheckResult[] {
  const required = new Set(definitions.flatMap(({ name, required }) => (required ? [name] : [])))
  return results.filter(({ check, outcome }) => outcome !== 'green' && required.has(check))
}
