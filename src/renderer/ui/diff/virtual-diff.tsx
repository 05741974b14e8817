import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
} from 'react'
import { type Components, Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { focusWhenRendered } from '../react/use-virtual-rows.ts'
import { BelowRow, chooseLine, type DiffComments } from './diff-comments.tsx'
import type { LineLook } from './diff-line.tsx'
import { type DiffLabels, DiffRowView } from './diff-row.tsx'
import type { DiffLayout, DiffRows } from './diff-rows.ts'
import { quoteOf, rowOfEnd } from './line-range.ts'

/** Moves the focus to the next or the previous hunk, even one far out of sight. */
export interface HunkSteps {
  step(by: 1 | -1): void
}

interface VirtualDiffProps {
  /** The accessible name. */
  readonly label: string
  readonly rows: DiffRows
  readonly layout: DiffLayout
  /** The length of the longest line in characters. */
  readonly longest: number
  readonly look: LineLook
  readonly labels: DiffLabels
  readonly onOpenGap: (gap: number) => void
  /** The buttons for one hunk. */
  readonly hunkActions?: ((hunk: number) => ReactNode) | undefined
  readonly steps?: RefObject<HunkSteps | null> | undefined
  readonly comments?: DiffComments | undefined
}

/** A diff of any length in its own scrolling box. Only the visible rows are rendered. */
export function VirtualDiff(props: VirtualDiffProps): ReactNode {
  const { label, rows, layout, longest, comments, steps, look } = props
  const list = useRef<VirtuosoHandle>(null)
  const box = useRef<HTMLElement | null>(null)
  const width = useMemo(() => widthOf(layout, longest), [layout, longest])
  const { hunks } = rows
  useHunkSteps(steps, { hunks, list, box })
  const formRow = useFormRow(list, rows, comments)
  const form = comments?.at ? comments.form((range) => quoteOf(rows, range)) : null
  return (
    <>
      {formRow === -1 && form}
      <Virtuoso
        ref={list}
        scrollerRef={(element) => {
          box.current = element instanceof HTMLElement ? element : null
        }}
        role="region"
        aria-label={label}
        data-commentable={comments && ''}
        onClick={(event) => comments && chooseLine(event, comments)}
        className="min-h-0 flex-1 font-mono text-[12px] leading-5 [container-type:inline-size]"
        totalCount={rows.count}
        context={width}
        components={parts}
        defaultItemHeight={20}
        increaseViewportBy={400}
        itemContent={(index) => {
          const row = rows.at(index)
          return (
            <>
              <DiffRowView row={row} {...props} look={look} />
              {comments && <BelowRow row={row} comments={comments} form={index === formRow && form} />}
            </>
          )
        }}
      />
    </>
  )
}

/** The row above the form, which is scrolled into sight. -1 if its line is not shown; null without a form. */
function useFormRow(list: RefObject<VirtuosoHandle | null>, rows: DiffRows, comments?: DiffComments): number | null {
  const at = comments?.at ?? null
  const row = useMemo(() => (at ? rowOfEnd(rows, at) : null), [rows, at])
  useEffect(() => {
    if (row !== null && row >= 0) list.current?.scrollIntoView({ index: row })
  }, [list, row])
  return row
}

/** In one column the list is as wide as its longest line, so that all rows scroll sideways together. */
const parts: Components<unknown, CSSProperties> = {
  List: ({ style, context, ref, ...rest }) => (
    <div {...rest} ref={ref ?? null} style={{ ...style, ...context }} className="pb-4" />
  ),
}

function widthOf(layout: DiffLayout, longest: number): CSSProperties {
  return { width: layout === 'unified' ? `max(100%, ${longest}ch + 8rem)` : '100%' }
}

interface StepParts {
  readonly hunks: readonly number[]
  readonly list: RefObject<VirtuosoHandle | null>
  readonly box: RefObject<HTMLElement | null>
}

function useHunkSteps(steps: VirtualDiffProps['steps'], { hunks, list, box }: StepParts): void {
  const at = useRef(-1)
  useImperativeHandle(steps, () => ({
    step(by) {
      const focused = document.activeElement?.closest<HTMLElement>('[data-hunk]')
      const from = focused && box.current?.contains(focused) ? Number(focused.dataset.hunk) : at.current
      const next = Math.min(Math.max(from + by, 0), hunks.length - 1)
      const index = hunks[next]
      if (index === undefined) return
      at.current = next
      list.current?.scrollToIndex({ index, align: 'start' })
      focusWhenRendered(() => box.current?.querySelector<HTMLElement>(`[data-hunk="${next}"]`), { preventScroll: true })
    },
  }))
}
