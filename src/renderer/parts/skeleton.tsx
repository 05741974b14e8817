import type { ReactNode } from 'react'
import { strings } from '../strings/strings.ts'
import { withKeys } from '../ui/react/elements.tsx'
import { useLate } from '../ui/react/use-late.ts'

/** Widths in percent, so that the lines look like text. */
const lines = [38, 86, 72, 0, 30, 92, 64, 78]
/** Milliseconds after which the skeleton says in words that something is loading. */
const quietFor = 1_000

/** Stands where content will be, in its shape. */
export function Skeleton(): ReactNode {
  const isLate = useLate(quietFor)
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-2.5 px-4 py-5">
      {withKeys(lines).map(({ key, item: width }) => (
        <span
          key={key}
          aria-hidden
          className="h-3 rounded bg-hover motion-safe:animate-pulse"
          style={{ width: `${width}%` }}
        />
      ))}
      <p role="status" className="text-muted text-xs">
        {isLate && strings.common.loading}
      </p>
    </div>
  )
}
