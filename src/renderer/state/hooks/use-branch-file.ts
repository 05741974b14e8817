import { useEffect } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useClient, useProjectId, useSession } from './hooks.tsx'

/**
 * Returns a function that reads a file as it is on the branch. It resolves with null if the file is not text, is too
 * long to show, or cannot be read.
 */
export function useLoadText(branchId: BranchId, path: VirtualPath): () => Promise<string | null> {
  const { queries } = useSession()
  const projectId = useProjectId()
  return async () => {
    const { value } = await queries.fetch({ name: 'files.read', input: { projectId, branchId, path } })
    return value?.kind === 'text' && !value.truncated ? value.text : null
  }
}

/** Asks the host to compare a branch with the disk and to keep watching it. Changes on disk arrive as events. */
export function useFollowDrift(branchId: BranchId): void {
  const client = useClient()
  const projectId = useProjectId()
  useEffect(() => {
    // If this fails, the files stay unmarked. Edits and applies compare with the disk again themselves.
    client.changes.drift({ projectId, branchId }).catch(() => undefined)
  }, [client, projectId, branchId])
}
