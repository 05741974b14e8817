import { useEffect, useMemo, useRef } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { useApp, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import type { AppState } from '../../state/store/app-state.ts'
import { isRunning } from '../../state/store/selectors.ts'
import { useNow } from '../../ui/react/observers.ts'
import { isProposal, keepItems, type WorkItem, workItems } from './work-list.ts'

/** The branches of the open thread with what each needs. Compared at most once a second while agents work. */
export function useWorkList(branches: readonly Branch[]): readonly WorkItem[] {
  const projectId = useProjectId()
  const threads = useApp(({ project }) => project.threads)
  const delays = useApp(({ live }) => live.delays)
  const version = useApp(useMemo(() => newestOf(branches), [branches]))
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
  const asked = useMemo(() => (branchIds.length === 0 ? null : { projectId, branchIds }), [projectId, branchIds])
  const [{ value }] = useQuery('branches.survey', asked, held.current.version)
  const surveys = useMemo(() => new Map((value ?? []).map((survey) => [survey.branchId, survey])), [value])
  const last = useRef<readonly WorkItem[]>([])
  const items = useMemo(() => {
    const isQueued = (id: ThreadId): boolean => delays.get(id)?.kind === 'waiting'
    return keepItems(last.current, workItems({ branches, threads, surveys, isQueued }))
  }, [branches, threads, surveys, delays])
  useEffect(() => {
    last.current = items
  }, [items])
  return items
}

/** Selects the newest version of these branches. It is looked for only when a branch has changed. */
function newestOf(branches: readonly Branch[]): (state: AppState) => number {
  let known: AppState['timeline']['versions'] | undefined
  let newest = 0
  return ({ timeline: { versions } }) => {
    if (versions !== known) newest = Math.max(0, ...branches.map(({ id }) => versions.get(id) ?? 0))
    known = versions
    return newest
  }
}
