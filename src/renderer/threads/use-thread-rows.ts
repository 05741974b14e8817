import { useEffect, useMemo, useState } from 'react'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { type Loaded, useApp, useClient, useLoaded, useProjectId } from '../state/hooks/hooks.tsx'
import { allRoots, familyStatus } from '../state/store/selectors.ts'
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
  /** Null while nothing is searched for. */
  readonly search: Loaded<{ readonly more: boolean }> | null
  readonly retry: () => void
}

/** The rows of the list: the threads of a place, or what a query finds in titles and messages. */
export function useThreadRows(shown: ThreadFilter, query: string, closed: ReadonlySet<GroupKey>): ThreadRows {
  const client = useClient()
  const projectId = useProjectId()
  const roots = useApp(allRoots)
  const statuses = useApp((state) => familyStatus(state.project))
  const settled = useDebounced(query.trim())
  const [found, retry] = useLoaded(`${projectId} ${settled}`, async (signal) =>
    settled === '' ? { hits: [], more: false } : client.threads.search({ projectId, query: settled }, { signal }),
  )
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

/** What was typed, once the typing rests. */
function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value === '' ? 0 : typingPause)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
