import { HardDrive } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Drift } from '#shared/model/drift.ts'
import { strings } from './strings.ts'

/** A file that moved on disk under the agent; the whole sentence is its tooltip. `short` leaves the word to the ear. */
export function DriftMark({ drift, short = false }: { drift: Drift; short?: boolean }): ReactNode {
  return (
    <span title={strings.drift.title(drift)} className="flex shrink-0 items-center gap-1 text-warn text-xs">
      <HardDrive size={13} aria-hidden className="shrink-0" />
      <span className={short ? 'sr-only' : undefined}>{strings.drift.mark[drift.kind]}</span>
    </span>
  )
}
