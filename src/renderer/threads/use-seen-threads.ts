import { useEffect, useState } from 'react'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { readSeen, type SeenThreads, seenKey, writeSeen } from '../state/preferences/seen-threads.ts'
import { activeRoot } from '../state/store/selectors.ts'

/** The results that were seen in the open project, in any window. */
export function useSeenThreads(): SeenThreads {
  const projectId = useProjectId()
  const [seen, setSeen] = useState(() => readSeen(localStorage, projectId, Date.now()))
  useEffect(() => {
    const read = (): void => setSeen(readSeen(localStorage, projectId, Date.now()))
    read()
    window.addEventListener('storage', read)
    return () => window.removeEventListener('storage', read)
  }, [projectId])
  return seen
}

/** Marks the result of the shown thread as seen while somebody can look at it. */
export function useMarkSeen(): void {
  const projectId = useProjectId()
  const id = useApp((state) => activeRoot(state)?.id ?? null)
  const at = useApp((state) => activeRoot(state)?.end?.at ?? null)
  useEffect(() => {
    if (id === null || at === null) return
    const mark = (): void => {
      if (document.visibilityState !== 'visible') return
      if ((readSeen(localStorage, projectId, Date.now()).ends[id] ?? 0) >= at) return
      writeSeen(localStorage, projectId, id, at)
      // The browser tells only the other windows.
      window.dispatchEvent(new StorageEvent('storage', { key: seenKey(projectId) }))
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [projectId, id, at])
}
