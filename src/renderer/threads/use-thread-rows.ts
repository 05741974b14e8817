import { useMemo } from 'react'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import type { Loaded } from '../state/connection/query-cache.ts'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { allRoots, familyStatus } from '../state/store/selectors.ts'
import { useDebounced } from '../ui/react/observers.ts'
import {
  type GroupKey,
  groupRows,
  hitRows,
  listRows,
  type ThreadFilter,
  type ThreadRow,
  threadsOf,
  titlesWith,
} from './thread-rows.ts'

export interface ThreadRows {
  readonly rows: readonly ThreadRow[]
  /** The search in messages; null without a query. */
  readonly search: Loaded<{ readonly more: boolean }> | null
  readonly retry: () => void
}

/** The rows of the list: the threads of a filter, or what a query finds in titles and messages. */
export function useThreadRows(shown: ThreadFilter, query: string, closed: ReadonlySet<GroupKey>): ThreadRows {
  const projectId = useProjectId()
  const roots = useApp(allRoots)
  const statuses = useApp((state) => familyStatus(state.project))
  const settled = useDebounced(query.trim(), query.trim() === '' ? 0 : typingPause)
  const [found, retry] = useQuery('threads.search', settled === '' ? null : { projectId, query: settled })
  const hits = useHitRows(found.value?.hits ?? none)
  const rows = useMemo(() => {
    const threads = threadsOf(roots, shown, Date.now())
    if (query.trim() === '')
      return shown === 'active' ? groupRows(threads, statuses, closed) : listRows(threads, statuses)
    return [
      ...listRows(
        titlesWith(
          roots.filter(({ deletedAt }) => deletedAt === null),
          query,
        ),
        statuses,
      ),
      ...hits,
    ]
  }, [roots, statuses, shown, query, closed, hits])
  return { rows, search: query.trim() === '' ? null : found, retry }
}

const none: Parameters<typeof hitRows>[0] = []

function useHitRows(hits: typeof none): readonly ThreadRow[] {
  const project = useApp((state) => (hits.length > 0 ? state.project : null))
  return useMemo(() => {
    if (!project) return []
    const rootOf = (id: ThreadId) => project.threads.get(rootThreadOf(project, id))
    return hitRows(hits, rootOf, (id) => project.threads.get(id)?.agent ?? null)
  }, [hits, project])
}

const typingPause = 150
