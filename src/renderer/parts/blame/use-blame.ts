import type { FileBlame } from '#shared/contract/views/files.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Loaded } from '../../state/connection/query-cache.ts'
import { useApp, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'

/** Where each line of a file of a branch comes from, kept up to date. Null asks nothing. */
export function useBlame(branchId: BranchId | null, path: VirtualPath): readonly [Loaded<FileBlame>, () => void] {
  const projectId = useProjectId()
  const version = useApp(({ timeline }) => (branchId === null ? 0 : timeline.versions.get(branchId)))
  return useQuery('changes.blame', branchId && { projectId, branchId, path }, version)
}
