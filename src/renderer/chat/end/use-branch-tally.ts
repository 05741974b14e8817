import { useMemo, useRef } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { useApp, useAppList, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQueries } from '../../state/hooks/use-query.ts'
import { activeBranches, isRunning } from '../../state/store/selectors.ts'
import { type BranchTally, noBranches, tallyOf } from './branch-tally.ts'

/**
 * The branches of the open family. While agents work, each branch is compared once, when its agent has ended; when all
 * have ended, the open ones are compared again.
 */
export function useBranchTally(thread: ThreadState): BranchTally {
  const projectId = useProjectId()
  const branches = useAppList(activeBranches)
  const threads = useApp(({ project }) => project.threads)
  const latest = useApp(({ timeline }) => Math.max(0, ...branches.map(({ id }) => timeline.versions.get(id) ?? 0)))
  const isAtWork = (id: ThreadState['id']): boolean => {
    const found = threads.get(id)
    return found !== undefined && isRunning(found)
  }
  const held = useRef(latest)
  if (!branches.some(({ threadId }) => isAtWork(threadId))) held.current = latest
  const open = thread.parent
    ? []
    : branches.filter(
        ({ parentId, status, merges, threadId }) =>
          parentId !== null && status !== 'discarded' && !merges.some(({ undone }) => !undone) && !isAtWork(threadId),
      )
  const [loaded] = useQueries(
    'branches.review',
    open.map(({ id: branchId }) => ({ projectId, branchId })),
    held.current,
  )
  const reviews = useMemo(
    () => new Map(loaded.flatMap(({ value }) => (value ? [[value.branchId, value] as const] : []))),
    [loaded],
  )
  return useMemo(
    () => (thread.parent ? noBranches : tallyOf(branches, threads, reviews)),
    [thread.parent, branches, threads, reviews],
  )
}
