import type { ReactNode } from 'react'
import { useApp } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { formatPercent } from '../ui/format.ts'

const labels = strings.shell

/** While a long journal is read: how far it is. What is on screen until then is real, but not all there is. */
export function ReadingLine(): ReactNode {
  const reading = useApp((state) => state.reading)
  if (!reading) return null
  const share = reading.entries / reading.of
  return (
    <div
      role="progressbar"
      aria-label={labels.reading}
      aria-valuenow={Math.floor(share * 100)}
      className="relative shrink-0 border-line border-b px-3 py-1 text-muted text-xs tabular-nums"
    >
      {labels.readingShare(formatPercent(share))}
      <span aria-hidden className="absolute bottom-0 left-0 h-0.5 bg-accent" style={{ width: `${share * 100}%` }} />
    </div>
  )
}
