import type { ReactNode } from 'react'
import { type DiffComments, linesOfHunk } from './diff-comments.tsx'
import { type LineLook, SplitLine, UnifiedLine } from './diff-line.tsx'
import { Gap, type HunkComment, HunkHeader } from './diff-parts.tsx'
import type { DiffRow, DiffRows } from './diff-rows.ts'
import { changedRange } from './line-range.ts'

/** The texts that a diff shows. A `place` counts from 1; `lines` is null while unknown. */
export interface DiffLabels {
  readonly hunk: (place: number, count: number) => string
  readonly unchanged: (lines: number | null) => string
}

interface DiffRowProps {
  readonly row: DiffRow
  readonly rows: DiffRows
  readonly labels: DiffLabels
  readonly look: LineLook
  readonly comments?: DiffComments | undefined
  /** The buttons for one hunk. */
  readonly hunkActions?: ((hunk: number) => ReactNode) | undefined
  readonly onOpenGap: (gap: number) => void
}

/** One row of a diff: a heading, a gap, or a line. */
export function DiffRowView({ row, rows, labels, look, comments, hunkActions, onOpenGap }: DiffRowProps): ReactNode {
  const marked = comments?.range ?? null
  switch (row.kind) {
    case 'line':
      return <UnifiedLine {...look} line={row.line} marked={marked} />
    case 'pair':
      return <SplitLine {...look} pair={row.pair} marked={marked} />
    case 'gap':
      return <Gap label={labels.unchanged(row.lines)} onOpen={() => onOpenGap(row.gap)} />
    case 'hunk':
      return (
        <HunkHeader
          index={row.index}
          hunk={row.hunk}
          label={labels.hunk(row.index + 1, rows.hunks.length)}
          comment={comments ? hunkComment(rows, row.index, comments) : null}
        >
          {hunkActions?.(row.index)}
        </HunkHeader>
      )
  }
}

function hunkComment(rows: DiffRows, hunk: number, { word, hunkLabel, onChoose }: DiffComments): HunkComment {
  return {
    word,
    label: hunkLabel(hunk + 1),
    onChoose: () => {
      const range = changedRange(linesOfHunk(rows, hunk))
      if (range) onChoose(range)
    },
  }
}
