import { memo, type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo } from 'react'
import { flushSync } from 'react-dom'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { BelowRow, chooseLine, type DiffComments } from '../../ui/diff/diff-comments.tsx'
import type { LineLook } from '../../ui/diff/diff-line.tsx'
import { type DiffLabels, DiffRowView } from '../../ui/diff/diff-row.tsx'
import type { DiffRow, DiffRows } from '../../ui/diff/diff-rows.ts'
import { quoteOf, rowOfEnd } from '../../ui/diff/line-range.ts'
import { AriaElement } from '../../ui/react/elements.tsx'
import { useStable } from '../../ui/react/use-stable.ts'
import type { ReviewLayout } from './review-layout.ts'
import { createRowHeights, type RowHeights } from './row-heights.ts'

const lineHeight = 20
const heights = { hunk: 32, gap: 24 } as const
/** Pixels beside the text of a line: numbers and sign. */
const besideText = { unified: 120, split: 72 } as const
/** The width of a character in the font of the code, in pixels. */
const characterWidth = 7.22

interface FileRowsProps {
  readonly path: VirtualPath
  readonly rows: DiffRows
  readonly layout: ReviewLayout
  /** The width of the list in pixels. */
  readonly width: number
  /** The part of the list to render, in pixels from the first row. */
  readonly from: number
  readonly to: number
  /** The length of the longest line in characters. */
  readonly longest: number
  readonly look: LineLook
  readonly labels: DiffLabels
  readonly comments: DiffComments
  readonly hunkActions: ((hunk: number) => ReactNode) | undefined
  readonly onOpenGap: (gap: number) => void
  /** Heights in the layout changed. */
  readonly onResize: () => void
  /** The rows are in the layout now; null when they are not rendered any more. */
  readonly onRows: (rows: DiffRows | null) => void
}

/** The lines of one changed file. Only those near the visible part of the list are rendered. */
export function FileRows(props: FileRowsProps): ReactNode {
  const { path, rows, layout, width, from, to, longest, look, labels, comments, hunkActions, onOpenGap } = props
  const { onResize, onRows } = props
  const { wrap = false } = look
  const estimated = useMemo(
    () => createRowHeights(rows.count, (index) => estimate(rows.at(index), wrap, width)),
    [rows, wrap, width],
  )
  useLayoutEffect(() => {
    if (layout.change(path, { rows: estimated })) onResize()
    onRows(rows)
  }, [layout, path, estimated, rows, onResize, onRows])
  useEffect(() => () => onRows(null), [onRows])
  const measureRow = useMeasuredRows(layout, path, estimated, onResize)

  const formRow = useMemo(() => (comments.at ? rowOfEnd(rows, comments.at) : null), [rows, comments.at])
  const form = comments.at ? comments.form((range) => quoteOf(rows, range)) : null
  const openGap = useStable(onOpenGap)
  const [first, last] = windowOf(estimated, from, to)
  return (
    <AriaElement
      role="presentation"
      data-commentable=""
      onClick={(event) => chooseLine(event, comments)}
      className="relative overflow-x-auto overflow-y-hidden font-mono text-[12px] leading-5 [container-type:inline-size]"
      style={{ height: estimated.total() }}
    >
      <div
        className="absolute left-0"
        style={{ top: estimated.topOf(first), width: wrap ? '100%' : `max(100%, ${longest}ch + 8rem)` }}
      >
        {Array.from({ length: last - first }, (_, place) => {
          const index = first + place
          return (
            <FileRow
              key={index}
              index={index}
              rows={rows}
              labels={labels}
              look={look}
              measure={measureRow}
              comments={comments}
              hunkActions={hunkActions}
              onOpenGap={openGap}
              form={index === formRow ? form : null}
            />
          )
        })}
      </div>
    </AriaElement>
  )
}

interface FileRowProps
  extends Pick<FileRowsProps, 'rows' | 'labels' | 'look' | 'comments' | 'hunkActions' | 'onOpenGap'> {
  readonly index: number
  /** Reports the height of a row as long as it is rendered. */
  readonly measure: MeasureRow
  /** The form of a comment below this row. */
  readonly form: ReactNode
}

const FileRow = memo(function FileRow({ index, rows, measure, comments, form, ...rest }: FileRowProps): ReactNode {
  const row = rows.at(index)
  return (
    <div ref={measure} data-row-at={index}>
      <DiffRowView row={row} rows={rows} comments={comments} {...rest} />
      <BelowRow row={row} comments={comments} form={form} />
    </div>
  )
})

/** The rows between two places; the second index is not part of them. */
function windowOf(rows: RowHeights, from: number, to: number): readonly [first: number, last: number] {
  if (rows.count === 0 || to < 0 || from > rows.total()) return [0, 0]
  return [rows.indexAt(from), Math.min(rows.indexAt(to) + 1, rows.count)]
}

/** The height a row will probably have, so that few places move once it is measured. */
function estimate(row: DiffRow, wrap: boolean, width: number): number {
  switch (row.kind) {
    case 'hunk':
    case 'gap':
      return heights[row.kind]
    case 'line':
      return wrap ? linesFor(row.line.text, width - besideText.unified) * lineHeight : lineHeight
    case 'pair': {
      const room = width / 2 - besideText.split
      const [left, right] = row.pair
      return Math.max(linesFor(left?.text ?? '', room), linesFor(right?.text ?? '', room)) * lineHeight
    }
  }
}

function linesFor(text: string, width: number): number {
  const columns = Math.max(Math.floor(width / characterWidth), 8)
  return Math.max(Math.ceil(text.length / columns), 1)
}

type MeasureRow = (row: HTMLElement | null) => () => void

/**
 * Writes the real heights of the rendered rows into the layout, now and whenever one of them changes. The browser tells
 * them once it has laid out the frame. To ask it earlier would make it lay out twice.
 */
function useMeasuredRows(
  layout: ReviewLayout,
  path: VirtualPath,
  heights: RowHeights,
  onResize: () => void,
): MeasureRow {
  const write = useStable((rows: readonly ResizeObserverEntry[]): void => {
    let changed = false
    for (const { target, borderBoxSize } of rows) {
      const height = borderBoxSize[0]?.blockSize
      if (!(target instanceof HTMLElement) || !target.isConnected || height === undefined) continue
      changed = layout.setRow(path, Number(target.dataset.rowAt), height) || changed
    }
    // Before the frame is painted, so that nobody sees a row move.
    if (changed) flushSync(onResize)
  })
  // Other heights are estimates again, so every row is reported to them.
  const observer = useMemo(() => heights && new ResizeObserver(write), [heights, write])
  return useCallback(
    (row) => {
      if (row) observer.observe(row)
      return () => {
        if (row) observer.unobserve(row)
      }
    },
    [observer],
  )
}
