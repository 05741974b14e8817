import { useEffect } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useClient, useProjectId, useSession } from './hooks.tsx'

/** Reads a file as the branch has it now; null where that is no text, too long to show, or cannot be read. */
export function useLoadText(branchId: BranchId, path: VirtualPath): () => Promise<string | null> {
  const { queries } = useSession()
  const projectId = useProjectId()
  return async () => {
    const { value } = await queries.fetch({ name: 'files.read', input: { projectId, branchId, path } })
    return value?.kind === 'text' && !value.truncated ? value.text : null
  }
}

/** Has the host follow a branch that is looked at; what moved on disk under it comes as events. */
export function useFollowDrift(branchId: BranchId): void {
  const client = useClient()
  const projectId = useProjectId()
  useEffect(() => {
    // A comparison that fails leaves the files unmarked; edits and applies compare for themselves.
    client.changes.drift({ projectId, branchId }).catch(() => undefined)
  }, [client, projectId, branchId])
}
