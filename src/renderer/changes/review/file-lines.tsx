import { Undo2 } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { DiffHunk, FileDiff } from '#shared/contract/views/files.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { diffCommentsOf } from '../../parts/review/diff-comments-of.tsx'
import type { Review } from '../../parts/review/use-review.ts'
import { useLoadText } from '../../state/hooks/use-branch-file.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { useDiffHighlight } from '../../ui/diff/diff-highlight.ts'
import type { LineLook } from '../../ui/diff/diff-line.tsx'
import type { DiffLayout } from '../../ui/diff/diff-rows.ts'
import { type DiffRows, diffRows, longestLine } from '../../ui/diff/diff-rows.ts'
import type { NumberedLine } from '../../ui/diff/hunk-lines.ts'
import { type MovedLines, movedLinesIn } from '../../ui/diff/moved-lines.ts'
import { gapsOf, useGaps } from '../../ui/diff/use-gaps.ts'
import { wordsIn } from '../../ui/diff/word-diff.ts'
import type { RenderConflict } from '../disk-conflict.tsx'
import type { ChangeActions } from '../use-change-actions.ts'
import { FileRows } from './file-rows.tsx'
import type { FoldReason } from './fold-reason.ts'
import { changeKey } from './marks/viewed.ts'
import { Measured } from './measured.tsx'
import type { MovedBetween } from './moved-between.ts'
import type { ReviewLayout } from './review-layout.ts'
import type { DiffStore } from './use-file-diff.ts'

export interface FileBodyProps {
  readonly branchId: BranchId
  readonly change: FileChange
  readonly drift: Drift | undefined
  readonly actions: ChangeActions
  readonly reason: FoldReason | null
  readonly review: Review
  readonly renderConflict: RenderConflict
  readonly store: DiffStore
  readonly movedBetween: MovedBetween
  readonly layout: ReviewLayout
  readonly diffLayout: DiffLayout
  readonly wrap: boolean
  readonly find: string
  /** What the person asked to see although it is large. */
  readonly asked: ReadonlySet<string>
  readonly onAsk: (what: string) => void
  readonly width: number
  /** The part of the file to render, in pixels from its first row. */
  readonly from: number
  readonly to: number
  readonly onResize: () => void
  readonly onRows: (change: FileChange, rows: DiffRows | null) => void
}

/** The compared lines of one file, as far as they are in sight. */
export function FileLines(props: FileBodyProps & { readonly diff: FileDiff }): ReactNode {
  const { branchId, change, diff, actions, review, layout, diffLayout, wrap, find, width, from, to } = props
  const { onResize, onRows, movedBetween } = props
  const { path, hunks, truncated } = diff
  const [{ after, opened, unfit }, openGap] = useGaps(diff, useLoadText(branchId, path))
  const rows = useMemo(
    () => diffRows({ hunks, layout: diffLayout, after, opened, gaps: unfit ? 'none' : gapsOf(diff) }),
    [hunks, diffLayout, after, opened, unfit, diff],
  )
  const highlight = useDiffHighlight(path, hunks, after)
  const between = useMovedBetween(movedBetween, change, hunks)
  const words = useMemo(() => wordsIn(hunks), [hunks])
  const inside = useMovedInside(hunks)
  const found = useMemo(
    () => ({ words, moved: (line: NumberedLine) => inside(line) ?? between(line) }),
    [words, inside, between],
  )
  const longest = useMemo(() => longestLine(hunks, after), [hunks, after])
  const look = useMemo(
    (): LineLook => ({
      ...found,
      highlight,
      find,
      wrap: wrap || diffLayout === 'split',
      movedLabel: strings.common.moved,
    }),
    [found, highlight, find, wrap, diffLayout],
  )
  const comments = useMemo(() => diffCommentsOf(review, change.path), [review, change.path])
  const hunkActions = useCallback(
    (hunk: number) => <UndoHunk diff={diff} hunk={hunk} actions={actions} />,
    [diff, actions],
  )
  const report = useCallback((now: DiffRows | null) => onRows(change, now), [onRows, change])
  const setTail = (tail: number): void => {
    if (layout.change(change.path, { tail })) onResize()
  }
  return (
    <>
      <FileRows
        path={change.path}
        rows={rows}
        layout={layout}
        width={width}
        from={from}
        to={to}
        longest={longest}
        look={look}
        labels={strings.common}
        comments={comments}
        hunkActions={diff.fingerprint === null ? undefined : hunkActions}
        onOpenGap={openGap}
        onResize={onResize}
        onRows={report}
      />
      <Measured onHeight={setTail}>
        {truncated && <p className="px-3 py-2 text-warn">{strings.common.tooLarge}</p>}
      </Measured>
    </>
  )
}

/** The search in a longer comparison would hold up the first lines. */
const searchedAtOnce = 2000

/** The lines that moved inside a file. In a long comparison they are marked a moment after the lines are shown. */
function useMovedInside(hunks: readonly DiffHunk[]): MovedLines {
  const isLong = useMemo(() => hunks.reduce((sum, { lines }) => sum + lines.length, 0) > searchedAtOnce, [hunks])
  const atOnce = useMemo(() => (isLong ? notMoved : movedLinesIn(hunks)), [hunks, isLong])
  const [later, setLater] = useState({ hunks, moved: notMoved })
  useEffect(() => {
    if (!isLong) return
    const timer = setTimeout(() => setLater({ hunks, moved: movedLinesIn(hunks) }))
    return () => clearTimeout(timer)
  }, [hunks, isLong])
  return later.hunks === hunks && isLong ? later.moved : atOnce
}

const notMoved: MovedLines = () => null

/** The lines of a file that are in another file of the review before or after the change. */
function useMovedBetween(moved: MovedBetween, change: FileChange, hunks: readonly DiffHunk[]): MovedLines {
  const { path } = change
  const key = changeKey(change)
  useEffect(() => moved.add(path, key, hunks), [moved, path, key, hunks])
  return useSyncExternalStore(moved.subscribe, () => moved.of(path))
}

interface UndoHunkProps {
  readonly diff: FileDiff
  readonly hunk: number
  readonly actions: ChangeActions
}

function UndoHunk({ diff, hunk, actions }: UndoHunkProps): ReactNode {
  const { fingerprint, path } = diff
  if (fingerprint === null) return null
  return (
    <Button
      tone="quiet"
      icon={<Undo2 size={13} aria-hidden />}
      aria-label={strings.changes.revertHunkLabel(hunk + 1, path)}
      disabled={actions.command.busy}
      onClick={() => void actions.revertHunk({ ...diff, fingerprint }, hunk)}
    >
      {strings.changes.revertHunk}
    </Button>
  )
}
