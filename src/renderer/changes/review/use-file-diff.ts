import type { FileDiff } from '#shared/contract/views/files.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId, ProjectId } from '#shared/model/ids.ts'
import type { Loaded, Query } from '../../state/connection/query-cache.ts'
import { useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { changeKey } from './marks/viewed.ts'

/** The comparisons that were shown last, so that scrolling back shows them at once. */
export interface DiffStore {
  get(change: FileChange): FileDiff | undefined
  put(change: FileChange, diff: FileDiff): void
}

const keptAtMost = 200

export function createDiffStore(): DiffStore {
  const kept = new Map<string, FileDiff>()
  const keyOf = (change: FileChange): string => `${change.path} ${changeKey(change)}`
  return {
    get: (change) => kept.get(keyOf(change)),
    put(change, diff) {
      const key = keyOf(change)
      kept.delete(key)
      kept.set(key, diff)
      for (const oldest of kept.keys()) {
        if (kept.size <= keptAtMost) return
        kept.delete(oldest)
      }
    },
  }
}

/** Asks for the comparison of one changed file, once for each version of it. */
export function diffQuery(projectId: ProjectId, branchId: BranchId, change: FileChange) {
  const input = { projectId, branchId, path: change.path }
  return { name: 'changes.diff', input, version: changeKey(change) } as const satisfies Query
}

/** The comparison of one changed file. Asks for it again only when the file has changed. */
export function useFileDiff(
  branchId: BranchId,
  change: FileChange,
  store: DiffStore,
): readonly [Loaded<FileDiff>, () => void] {
  const projectId = useProjectId()
  const known = store.get(change)
  const { name, input, version } = diffQuery(projectId, branchId, change)
  const [loaded, reload] = useQuery(name, known ? null : input, version)
  if (known) return [{ state: 'ready', value: known }, reload]
  if (loaded.state === 'ready') store.put(change, loaded.value)
  return [loaded, reload]
}
