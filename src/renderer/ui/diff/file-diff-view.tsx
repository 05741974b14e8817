import { Columns2, Rows3 } from 'lucide-react'
import { type ReactNode, type RefObject, useMemo } from 'react'
import type { FileDiff } from '#shared/contract/views/files.ts'
import { IconButton } from '../controls/button.tsx'
import { PathText } from '../controls/path-text.tsx'
import { useMedia } from '../react/observers.ts'
import type { DiffComments } from './diff-comments.tsx'
import { useDiffHighlight } from './diff-highlight.ts'
import type { LineLook } from './diff-line.tsx'
import { LineCounts } from './diff-parts.tsx'
import type { DiffLabels } from './diff-row.tsx'
import { type DiffLayout, diffRows, longestLine } from './diff-rows.ts'
import { movedLinesIn } from './moved-lines.ts'
import { gapsOf, useGaps } from './use-gaps.ts'
import { type HunkSteps, VirtualDiff } from './virtual-diff.tsx'
import { wordsIn } from './word-diff.ts'

interface FileDiffLabels extends DiffLabels {
  readonly unified: string
  readonly split: string
  readonly binary: string
  readonly tooLarge: string
  /** `bytes` is the size of the larger version. */
  readonly largeFile: (bytes: number) => string
  readonly noTextChange: string
  readonly moved: (kind: 'added' | 'removed', line: number) => string
}

export interface FileDiffViewProps {
  readonly label: string
  readonly diff: FileDiff
  readonly labels: FileDiffLabels
  /** The layout that a person chose. A narrow window always shows one column. */
  readonly layout: DiffLayout
  readonly onLayout: (layout: DiffLayout) => void
  /** Loads the changed file, for the lines between the hunks. Resolves with null if it cannot be shown as text. */
  readonly loadAfter: () => Promise<string | null>
  readonly aside?: ReactNode
  readonly hunkActions?: (hunk: number) => ReactNode
  readonly steps?: RefObject<HunkSteps | null>
  readonly comments?: DiffComments | undefined
}

/** Shows one file's changes, in one column or side by side. */
export function FileDiffView(props: FileDiffViewProps): ReactNode {
  const { label, diff, labels, onLayout, loadAfter, aside, hunkActions, steps, comments } = props
  const hasRoomForTwo = useMedia('(min-width: 600px)')
  const layout = hasRoomForTwo ? props.layout : 'unified'
  const { change, hunks, truncated } = diff
  const [{ after, opened, unfit }, openGap] = useGaps(diff, loadAfter)
  const rows = useMemo(
    () => diffRows({ hunks, layout, after, opened, gaps: unfit ? 'none' : gapsOf(diff) }),
    [hunks, layout, after, opened, unfit, diff],
  )
  const highlight = useDiffHighlight(diff.path, hunks, after)
  const found = useMemo(() => ({ words: wordsIn(hunks), moved: movedLinesIn(hunks) }), [hunks])
  const look: LineLook = { ...found, highlight, movedLabel: labels.moved }
  const longest = useMemo(() => longestLine(hunks, after), [hunks, after])
  return (
    <div className="flex min-h-40 flex-1 flex-col">
      <header className="flex min-h-9 shrink-0 flex-wrap items-center gap-2 border-line border-b bg-panel px-3 py-1">
        <FileName diff={diff} />
        <LineCounts added={change.added} removed={change.removed} />
        {aside}
        {hasRoomForTwo && <LayoutChoice layout={layout} labels={labels} onChoose={onLayout} />}
      </header>
      {truncated && <p className="px-3 py-2 text-warn">{labels.tooLarge}</p>}
      {hunks.length > 0 ? (
        <VirtualDiff
          label={label}
          rows={rows}
          layout={layout}
          longest={longest}
          look={look}
          labels={labels}
          onOpenGap={openGap}
          hunkActions={hunkActions}
          steps={steps}
          comments={comments}
        />
      ) : (
        <p className="px-3 py-4 text-muted">{wordsInstead(diff, labels)}</p>
      )}
    </div>
  )
}

/** What is said where there are no lines to show. */
export function wordsInstead(
  { change: { large, binary } }: FileDiff,
  labels: Pick<FileDiffLabels, 'largeFile' | 'binary' | 'noTextChange'>,
): string {
  if (large !== undefined) return labels.largeFile(large)
  return binary ? labels.binary : labels.noTextChange
}

interface LayoutChoiceProps {
  readonly layout: DiffLayout
  readonly labels: FileDiffLabels
  readonly onChoose: (layout: DiffLayout) => void
}

function LayoutChoice({ layout, labels, onChoose }: LayoutChoiceProps): ReactNode {
  return (
    <span className="flex">
      <IconButton label={labels.unified} aria-pressed={layout === 'unified'} onClick={() => onChoose('unified')}>
        <Rows3 size={14} aria-hidden />
      </IconButton>
      <IconButton label={labels.split} aria-pressed={layout === 'split'} onClick={() => onChoose('split')}>
        <Columns2 size={14} aria-hidden />
      </IconButton>
    </span>
  )
}

function FileName({ diff: { path, change } }: { diff: FileDiff }): ReactNode {
  return (
    <h3 className="min-w-0 flex-1 basis-40">
      <PathText path={change.from ? `${change.from} → ${path}` : path} />
    </h3>
  )
}
