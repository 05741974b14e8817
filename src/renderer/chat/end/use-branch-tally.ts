import { useMemo, useRef } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { useApp, useAppList, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { activeBranches, isRunning } from '../../state/store/selectors.ts'
import { useNow } from '../../ui/react/observers.ts'
import { type BranchTally, noBranches, tallyOf } from './branch-tally.ts'

/** The branches of the open family. Compared at most once a second while agents work, then after each change. */
export function useBranchTally(thread: ThreadState): BranchTally {
  const projectId = useProjectId()
  const branches = useAppList(activeBranches)
  const threads = useApp(({ project }) => project.threads)
  const versions = useApp(({ timeline }) => timeline.versions)
  const latest = useMemo(
    () => branches.reduce((last, { id }) => Math.max(last, versions.get(id) ?? 0), 0),
    [branches, versions],
  )
  const { branchIds, running } = useMemo(() => resultsOf(branches, threads), [branches, threads])
  const now = useNow(running)
  const second = running ? now : null
  // One object for each change, because the key of a question about thousands of branches is long.
  const asked = useMemo(
    () => (thread.parent || branchIds.length === 0 ? null : { projectId, branchIds }),
    [thread.parent, branchIds, projectId],
  )
  const held = useRef({ second, asked, latest })
  if (second === null || held.current.second !== second) held.current = { second, asked, latest }
  const [{ value }] = useQuery('branches.survey', held.current.asked, held.current.latest)
  const surveys = useMemo(() => new Map((value ?? []).map((survey) => [survey.branchId, survey])), [value])
  return useMemo(
    () => (thread.parent ? noBranches : tallyOf(branches, threads, surveys)),
    [thread.parent, branches, threads, surveys],
  )
}

/** The branches that may have something to merge, and whether an agent still works on one. */
function resultsOf(
  branches: readonly Branch[],
  threads: ReadonlyMap<ThreadState['id'], ThreadState>,
): { readonly branchIds: BranchId[]; readonly running: boolean } {
  const branchIds: BranchId[] = []
  let running = false
  for (const { id, parentId, status, threadId } of branches) {
    const thread = threads.get(threadId)
    const isAtWork = thread !== undefined && isRunning(thread)
    running ||= isAtWork
    if (parentId !== null && status !== 'discarded' && !isAtWork && !thread?.parent?.resolves) branchIds.push(id)
  }
  return { branchIds, running }
}
