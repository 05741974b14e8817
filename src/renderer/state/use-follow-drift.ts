import { useEffect } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useClient, useProjectId } from './hooks.tsx'

/** Has the host follow a branch that is looked at; what moved on disk under it comes as events. */
export function useFollowDrift(branchId: BranchId): void {
  const client = useClient()
  const projectId = useProjectId()
  useEffect(() => {
    // A comparison that fails leaves the files unmarked; edits and applies compare for themselves.
    client.changes.drift({ projectId, branchId }).catch(() => undefined)
  }, [client, projectId, branchId])
}
