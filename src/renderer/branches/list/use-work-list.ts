import { useMemo, useRef } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import { useApp, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { isRunning } from '../../state/store/selectors.ts'
import { useNow } from '../../ui/react/observers.ts'
import { isProposal, type WorkItem, workItems } from './work-list.ts'

/** The branches of the open thread with what each needs. Compared at most once a second while agents work. */
export function useWorkList(branches: readonly Branch[]): readonly WorkItem[] {
  const projectId = useProjectId()
  const threads = useApp(({ project }) => project.threads)
  const delays = useApp(({ live }) => live.delays)
  const version = useApp(({ timeline }) => Math.max(0, ...branches.map(({ id }) => timeline.versions.get(id) ?? 0)))
  const running = branches.some(({ threadId }) => {
    const thread = threads.get(threadId)
    return thread !== undefined && isRunning(thread)
  })
  const now = useNow(running)
  const second = running ? now : null
  const held = useRef({ second, version })
  if (second === null || held.current.second !== second) held.current = { second, version }
  const branchIds = useMemo(
    () =>
      branches.flatMap(({ id, parentId, threadId }) => {
        const thread = threads.get(threadId)
        return parentId === null || (thread && isProposal(thread)) ? [] : [id]
      }),
    [branches, threads],
  )
  const asked = branchIds.length === 0 ? null : { projectId, branchIds }
  const [{ value }] = useQuery('branches.survey', asked, held.current.version)
  const surveys = useMemo(() => new Map((value ?? []).map((survey) => [survey.branchId, survey])), [value])
  return useMemo(
    () => workItems({ branches, threads, surveys, isQueued: (id) => delays.get(id)?.kind === 'waiting' }),
    [branches, threads, surveys, delays],
  )
}
