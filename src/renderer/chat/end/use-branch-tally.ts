import { useMemo, useRef } from 'react'
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
  const latest = useApp(({ timeline }) => Math.max(0, ...branches.map(({ id }) => timeline.versions.get(id) ?? 0)))
  const isAtWork = (id: ThreadState['id']): boolean => {
    const found = threads.get(id)
    return found !== undefined && isRunning(found)
  }
  const branchIds = branches.flatMap(({ id, parentId, status, threadId }) =>
    parentId === null || status === 'discarded' || isAtWork(threadId) || threads.get(threadId)?.parent?.resolves
      ? []
      : [id],
  )
  const running = branches.some(({ threadId }) => isAtWork(threadId))
  const now = useNow(running)
  const second = running ? now : null
  const held = useRef({ second, branchIds, latest })
  if (second === null || held.current.second !== second) held.current = { second, branchIds, latest }
  const asked =
    thread.parent || held.current.branchIds.length === 0 ? null : { projectId, branchIds: held.current.branchIds }
  const [{ value }] = useQuery('branches.survey', asked, held.current.latest)
  const surveys = useMemo(() => new Map((value ?? []).map((survey) => [survey.branchId, survey])), [value])
  return useMemo(
    () => (thread.parent ? noBranches : tallyOf(branches, threads, surveys)),
    [thread.parent, branches, threads, surveys],
  )
}
