import { type ReactNode, useMemo, useState } from 'react'
import type { DiffHunk } from '#shared/contract/views/files.ts'
import { Button } from '../controls/button.tsx'
import { reachable, withKeys } from '../react/elements.tsx'
import { useDiffHighlight } from './diff-highlight.ts'
import { UnifiedLine } from './diff-line.tsx'
import { HunkPlace } from './diff-parts.tsx'
import { diffRows } from './diff-rows.ts'

interface DiffViewProps {
  /** The accessible name. */
  readonly label: string
  /** A file name or path. Its ending chooses the language. */
  readonly path?: string
  readonly hunks: readonly DiffHunk[]
  readonly showAllLabel: (count: number) => string
}

const shownAtFirst = 800

/** A diff within a page. A long one is cut until a person asks for all of it. */
export function DiffView({ label, path, hunks, showAllLabel }: DiffViewProps): ReactNode {
  const [all, setAll] = useState(false)
  const highlight = useDiffHighlight(path ?? null, hunks, null)
  const rows = useMemo(
    () => diffRows({ hunks, layout: 'unified', after: null, opened: new Set(), gaps: 'none' }),
    [hunks],
  )
  const shown = Array.from({ length: all ? rows.count : Math.min(rows.count, shownAtFirst) }, (_, row) => rows.at(row))
  return (
    <section aria-label={label} {...reachable} className="overflow-x-auto font-mono text-[12px] leading-5">
      <div className="w-max min-w-full">
        {withKeys(shown).map(({ key, item }) => {
          if (item.kind === 'line') return <UnifiedLine key={key} line={item.line} highlight={highlight} />
          return item.kind === 'hunk' ? <HunkPlace key={key} hunk={item.hunk} /> : null
        })}
      </div>
      {shown.length < rows.count && (
        <div className="p-2">
          <Button onClick={() => setAll(true)}>{showAllLabel(rows.count)}</Button>
        </div>
      )}
    </section>
  )
}
