import { createPace } from '#adapters/pace.ts'
import { unwrap } from '#core/commands/command.ts'
import type { CompositionRequest } from '#core/commands/compose/composition.ts'
import { type ChosenFile, planComposition } from '#core/commands/compose/store-composition.ts'
import type { Result } from '#shared/base/result.ts'
import type { CheckResult } from '#shared/model/check.ts'
import type { Project } from '../../project/project.ts'

export interface ComposedCheck {
  /** Null for all checks of a merge. */
  readonly names: readonly string[] | null
  readonly again: boolean
}

/** Runs checks on a composed tree, before anything of it is stored. Those with a result do not run again unless `again`. */
export async function checkComposition(
  { services, checks }: Project,
  request: CompositionRequest & { readonly files: readonly ChosenFile[] },
  { names, again }: ComposedCheck,
  signal: AbortSignal,
): Promise<Result<readonly CheckResult[], string>> {
  const { tree } = unwrap(await planComposition(services, request, createPace()))
  const { into: branchId } = request
  const one = { branchId, tree, environmentOf: branchId, on: 'merge', names, again, by: 'person' } as const
  return checks.runs.run(one, signal)
}
