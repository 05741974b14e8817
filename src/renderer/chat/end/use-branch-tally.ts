import { useMemo, useRef } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { useApp, useAppList, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQueries } from '../../state/hooks/use-query.ts'
import { activeBranches, activeFamily, isRunning } from '../../state/store/selectors.ts'
import { type BranchTally, noBranches, tallyOf } from './branch-tally.ts'

/**
 * The branches of the open family. They are compared again when an agent ended or something was merged, and not at
 * every edit of an agent at work.
 */
export function useBranchTally(thread: ThreadState): BranchTally {
  const projectId = useProjectId()
  const branches = useAppList(activeBranches)
  const threads = useApp(({ project }) => project.threads)
  const ended = useApp((state) => activeFamily(state).filter((one) => one.parent && !isRunning(one)).length)
  const latest = useApp(({ timeline }) => Math.max(0, ...branches.map(({ id }) => timeline.versions.get(id) ?? 0)))
  const merges = branches.reduce((sum, { merges }) => sum + merges.length, 0)
  const atWork = branches.some(({ threadId, parentId }) => parentId && isRunning(threads.get(threadId) ?? thread))
  const held = useRef(latest)
  if (!atWork) held.current = latest
  const inputs = useMemo(
    () =>
      thread.parent
        ? []
        : branches
            .filter(({ parentId, status }) => parentId !== null && status !== 'discarded')
            .map(({ id: branchId }) => ({ projectId, branchId })),
    [thread.parent, branches, projectId],
  )
  const [loaded] = useQueries('branches.review', ended === 0 ? [] : inputs, `${held.current} ${ended} ${merges}`)
  const reviews = useMemo(
    () => new Map(loaded.flatMap(({ value }) => (value ? [[value.branchId, value] as const] : []))),
    [loaded],
  )
  return useMemo(
    () => (thread.parent ? noBranches : tallyOf(branches, threads, reviews)),
    [thread.parent, branches, threads, reviews],
  )
}
