import { useMemo } from 'react'
import type { ChecksView } from '#shared/contract/checks.ts'
import type { BranchChecks, GreenQueueView } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp, useAppSlowly, useProjectId } from './hooks.tsx'
import { useQuery } from './use-query.ts'

const none: ReadonlyMap<BranchId, BranchChecks> = new Map()

/** The checks of the open project, and a function that asks for them again. Null before the first answer. */
export function useChecks(): readonly [ChecksView | null, () => void] {
  const project = useApp((state) => state.projectInfo)
  const [view, reload] = useQuery('checks.list', project && { projectId: project.id }, String(project?.trusted))
  return [view.value, reload]
}

/** How the checks of these branches stand now. Empty when the project has none. Asks at most four times a second. */
export function useBranchChecks(branchIds: readonly BranchId[]): ReadonlyMap<BranchId, BranchChecks> {
  const projectId = useProjectId()
  const [view] = useChecks()
  const version = useAppSlowly(({ live, timeline }) =>
    branchIds.map((id) => `${live.checks.get(id) ?? 0} ${timeline.versions.get(id) ?? 0}`).join(),
  )
  const hasChecks = (view?.checks.length ?? 0) > 0 && branchIds.length > 0
  const asked = hasChecks ? { projectId, branchIds: [...branchIds] } : null
  const [{ value }] = useQuery('checks.ofBranches', asked, `${version} ${view?.checks.map(({ name }) => name).join()}`)
  return useMemo(
    () => (hasChecks && value ? new Map(value.map((one) => [one.branchId, one])) : none),
    [hasChecks, value],
  )
}

/** How the checks of one branch stand now. Null when the project has none, and before the first answer. */
export function useChecksOf(branchId: BranchId): BranchChecks | null {
  const ids = useMemo(() => [branchId], [branchId])
  return useBranchChecks(ids).get(branchId) ?? null
}

/** The last merges *when green* of the project. Null when there were none. */
export function useGreenQueue(): GreenQueueView | null {
  const projectId = useProjectId()
  const version = useAppSlowly(({ live }) => Math.max(0, ...live.checks.values()))
  const [{ value }] = useQuery('checks.queue', { projectId }, version)
  return value
}
