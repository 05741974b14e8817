import { LoaderCircle } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { formatElapsed } from '#shared/text/format.ts'
import { useNow } from '../ui/react/observers.ts'

const worthCounting = 1000

/** Says what is loading, and for how long once it takes more than a second. */
export function Waiting({ label }: { label: string }): ReactNode {
  const now = useNow(true)
  const [since] = useState(() => Date.now())
  const elapsed = now - since
  return (
    <p role="status" className="flex items-center gap-1.5 p-3 text-muted">
      <LoaderCircle size={14} aria-hidden className="text-accent motion-safe:animate-spin" />
      {label}
      {elapsed > worthCounting && (
        <span aria-hidden className="tabular-nums">
          {formatElapsed(elapsed)}
        </span>
      )}
    </p>
  )
}
