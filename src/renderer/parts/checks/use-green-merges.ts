import type { BranchId } from '#shared/model/ids.ts'
import { type Command, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'

interface GreenMerges {
  readonly command: Command
  /** Starts to merge these branches in this order, each when its checks pass. Resolves with whether they are queued. */
  merge(branchIds: readonly BranchId[]): Promise<boolean>
  /** Takes branches out of the queue; null for all. */
  cancel(branchIds: readonly BranchId[] | null): Promise<boolean>
}

/** Merges that wait for green checks. */
export function useGreenMerges(): GreenMerges {
  const { checks } = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  return {
    command,
    merge: (branchIds) => command.run(() => checks.mergeGreen({ projectId, branchIds: [...branchIds] })),
    cancel: (branchIds) =>
      command.run(() => checks.cancelMerges({ projectId, branchIds: branchIds && [...branchIds] })),
  }
}
