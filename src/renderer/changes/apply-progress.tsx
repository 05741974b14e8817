import type { ReactNode } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { Waiting } from '../ui/waiting.tsx'

const labels = strings.changes

/** How far the writing is; short ones are over before there is anything to tell. */
export function ApplyProgress({ branchId, count }: { branchId: BranchId; count: number }): ReactNode {
  const done = useApp((state) => state.live.applies.get(branchId))
  return (
    <div>
      <Waiting label={labels.working(count)} />
      {done !== undefined && (
        <progress aria-label={labels.progress} value={done} className="h-1 w-full accent-accent" />
      )}
    </div>
  )
}
