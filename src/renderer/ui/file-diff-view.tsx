import { Columns2, Rows3 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { FileDiff } from '#shared/contract/views.ts'
import { IconButton } from './button.tsx'
import { DiffView } from './diff-view.tsx'
import { LineCounts } from './line-counts.tsx'

export interface FileDiffWords {
  readonly unified: string
  readonly split: string
  readonly binary: string
  readonly tooLarge: string
  readonly noTextChange: string
  readonly showAll: (count: number) => string
}

export interface FileDiffViewProps {
  readonly label: string
  readonly diff: FileDiff
  readonly words: FileDiffWords
  readonly aside?: ReactNode
}

/** One file's changes, in one column or side by side. */
export function FileDiffView({ label, diff, words, aside }: FileDiffViewProps): ReactNode {
  const [layout, setLayout] = useState<'unified' | 'split'>('unified')
  const { path, change, hunks, truncated } = diff
  return (
    <div className="flex min-h-0 flex-col">
      <header className="flex min-h-9 shrink-0 flex-wrap items-center gap-2 border-line border-b bg-panel px-3">
        <h3 className="min-w-0 flex-1 truncate font-mono text-xs" title={path}>
          {change.from ? `${change.from} → ${path}` : path}
        </h3>
        <LineCounts added={change.added} removed={change.removed} />
        {aside}
        <IconButton label={words.unified} aria-pressed={layout === 'unified'} onClick={() => setLayout('unified')}>
          <Rows3 size={14} aria-hidden />
        </IconButton>
        <IconButton label={words.split} aria-pressed={layout === 'split'} onClick={() => setLayout('split')}>
          <Columns2 size={14} aria-hidden />
        </IconButton>
      </header>
      <div className="min-h-0 overflow-auto">
        {truncated && <p className="px-3 py-2 text-warn">{words.tooLarge}</p>}
        {hunks.length > 0 ? (
          <DiffView label={label} hunks={hunks} layout={layout} showAllLabel={words.showAll} />
        ) : (
          <p className="px-3 py-4 text-muted">{change.binary ? words.binary : words.noTextChange}</p>
        )}
      </div>
    </div>
  )
}
