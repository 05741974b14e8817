import type { ReactNode } from 'react'
import type { DiffHunk } from '#shared/contract/views.ts'

/** Where a hunk stands, as a unified diff says it. */
export function HunkPlace({ hunk }: { hunk: DiffHunk }): ReactNode {
  return (
    <div className="whitespace-nowrap bg-panel px-2 text-faint">
      @@ -{hunk.oldStart},{hunk.oldLines} +{hunk.newStart},{hunk.newLines} @@
    </div>
  )
}
