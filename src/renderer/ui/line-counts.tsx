import type { ReactNode } from 'react'

/** `+12 −3`; nothing for files that have no lines. */
export function LineCounts({ added, removed }: { added: number | null; removed: number | null }): ReactNode {
  if (added === null || removed === null) return null
  return (
    <span className="shrink-0 whitespace-nowrap font-mono text-xs tabular-nums">
      <span className="text-added-mark">+{added}</span> <span className="text-removed-mark">−{removed}</span>
    </span>
  )
}
