import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useApp } from '../state/hooks/hooks.tsx'
import { useChecks } from '../state/hooks/use-checks.ts'

/** Most projects have their checks, so the card is fetched when it is needed. */
const ChecksCard = lazy(async () => ({ default: (await import('./checks-card.tsx')).ChecksCard }))
/** Where *Not now* is saved: the projects whose proposals were put away, for this tab or window. */
const putAwayKey = 'coppice-checks-put-away'

/** Proposes the checks that the open folder calls for. Nothing when checks are set, or the person declined. */
export function ChecksBar(): ReactNode {
  const projectId = useApp((state) => state.projectInfo?.id)
  const [view, reload] = useChecks()
  const [putAway, setPutAway] = useState(readPutAway)
  if (!projectId || !view || view.proposals.length === 0 || putAway.includes(projectId)) return null
  function hide(id: string): void {
    const all = [...putAway, id]
    sessionStorage.setItem(putAwayKey, JSON.stringify(all))
    setPutAway(all)
  }
  return (
    <Suspense>
      <ChecksCard key={projectId} proposals={view.proposals} onNotNow={() => hide(projectId)} onDone={reload} />
    </Suspense>
  )
}

function readPutAway(): readonly string[] {
  const saved: unknown = JSON.parse(sessionStorage.getItem(putAwayKey) ?? '[]')
  return Array.isArray(saved) ? saved.map(String) : []
}
