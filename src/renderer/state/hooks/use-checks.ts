import { useMemo } from 'react'
import type { ChecksView } from '#shared/contract/checks.ts'
import type { BranchChecks, GreenQueueView } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
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
  const version = useAppSlowly(({ live }) => [...live.checks.values()].reduce((sum, count) => sum + count, 0))
  const [{ value }] = useQuery('checks.queue', { projectId }, version)
  return value
}

/**
 * How the checks stand on exactly the files that would leave the workspace: these paths, or all changes for null. Null
 * when the project has no checks, and before the first answer.
 */
export function useLeavingChecks(branchId: BranchId, paths: readonly VirtualPath[] | null): BranchChecks | null {
  const projectId = useProjectId()
  const ofBranch = useChecksOf(branchId)
  const version = useAppSlowly(
    ({ live, timeline }) => `${live.checks.get(branchId) ?? 0} ${timeline.versions.get(branchId) ?? 0}`,
  )
  const isAsked = ofBranch !== null && (paths === null || paths.length > 0)
  const asked = isAsked ? { projectId, branchId, paths: paths && [...paths] } : null
  const [{ value: ofTree }] = useQuery('checks.ofTree', asked, version)
  if (ofBranch === null) return null
  const known = ofTree?.checks ?? []
  // The checks of branches saw all changes together.
  const others = paths === null ? ofBranch.checks.filter(({ name }) => known.every((one) => one.name !== name)) : []
  return { ...ofBranch, checks: [...known, ...others] }
}
