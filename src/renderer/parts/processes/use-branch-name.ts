import type { BranchId } from '#shared/model/ids.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { strings } from '../../strings/strings.ts'

/** Two agents may have one name, so a subagent's branch has its handle too. */
export function useBranchName(branchId: BranchId): string {
  return useApp((state) => {
    const branch = state.project.branches.get(branchId)
    return strings.processes.branchName(branch?.name ?? '', branch?.handle ?? null)
  })
}
