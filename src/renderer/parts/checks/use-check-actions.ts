import type { BranchId } from '#shared/model/ids.ts'
import { type Command, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'

interface CheckActions {
  readonly command: Command
  /** Starts the checks without a result for the branch's files, or every check again. */
  run(again: boolean): void
  /** Runs these checks where they have no result, also when they are for another moment. */
  runNamed(names: readonly string[]): void
  cancel(): void
}

/** What a person can do about the checks of a branch. */
export function useCheckActions(branchId: BranchId): CheckActions {
  const { checks } = useClient()
  const target = { projectId: useProjectId(), branchId }
  const command = useCommand()
  return {
    command,
    run: (again) => void command.run(() => checks.run({ ...target, again })),
    runNamed: (names) => void command.run(() => checks.run({ ...target, names: [...names] })),
    cancel: () => void command.run(() => checks.cancel(target)),
  }
}
