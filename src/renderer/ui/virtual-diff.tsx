import { UnfoldVertical } from 'lucide-react'
import { type CSSProperties, type ReactNode, type RefObject, useImperativeHandle, useMemo, useRef } from 'react'
import { type Components, Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { DiffHunk } from '#shared/contract/views.ts'
import { AriaElement } from './aria-element.tsx'
import { SplitLine, UnifiedLine } from './diff-line.tsx'
import type { DiffLayout, DiffRows } from './diff-rows.ts'
import { HunkPlace } from './hunk-place.tsx'

export interface DiffWords {
  readonly hunk: (place: number, count: number) => string
  readonly unchanged: (lines: number | null) => string
}

/** Steps through the hunks of a diff: the next one gets the focus, also when it is far out of sight. */
export interface HunkSteps {
  step(by: 1 | -1): void
}

export interface VirtualDiffProps {
  /** The accessible name. */
  readonly label: string
  readonly rows: DiffRows
  readonly layout: DiffLayout
  /** Characters of its longest line. */
  readonly longest: number
  readonly words: DiffWords
  readonly onOpenGap: (gap: number) => void
  /** What can be done with one hunk. */
  readonly hunkActions?: ((hunk: number) => ReactNode) | undefined
  readonly steps?: RefObject<HunkSteps | null> | undefined
}

/** A diff of any length in a box of its own: only the rows in sight are made. */
export function VirtualDiff(props: VirtualDiffProps): ReactNode {
  const { label, rows, layout, longest, words, onOpenGap, hunkActions, steps } = props
  const list = useRef<VirtuosoHandle>(null)
  const box = useRef<HTMLElement | null>(null)
  const width = useMemo(() => widthOf(layout, longest), [layout, longest])
  const { hunks } = rows
  useHunkSteps(steps, { hunks, list, box })
  return (
    <Virtuoso
      ref={list}
      scrollerRef={(element) => {
        box.current = element instanceof HTMLElement ? element : null
      }}
      role="region"
      aria-label={label}
      className="min-h-0 flex-1 font-mono text-[12px] leading-5"
      totalCount={rows.count}
      context={width}
      components={parts}
      defaultItemHeight={20}
      increaseViewportBy={400}
      itemContent={(index) => {
        const row = rows.at(index)
        switch (row.kind) {
          case 'line':
            return <UnifiedLine line={row.line} />
          case 'pair':
            return <SplitLine pair={row.pair} />
          case 'gap':
            return <Gap lines={row.lines} words={words} onOpen={() => onOpenGap(row.gap)} />
          case 'hunk':
            return (
              <HunkHeader index={row.index} hunk={row.hunk} label={words.hunk(row.index + 1, hunks.length)}>
                {hunkActions?.(row.index)}
              </HunkHeader>
            )
        }
      }}
    />
  )
}

/** In one column, as wide as the longest line, so that all rows scroll sideways together. */
const parts: Components<unknown, CSSProperties> = {
  List: ({ style, context, ref, ...rest }) => (
    <div {...rest} ref={ref ?? null} style={{ ...style, ...context }} className="pb-4" />
  ),
}

function widthOf(layout: DiffLayout, longest: number): CSSProperties {
  return { width: layout === 'unified' ? `max(100%, ${longest}ch + 8rem)` : '100%' }
}

interface HunkHeaderProps {
  readonly index: number
  readonly hunk: DiffHunk
  readonly label: string
  readonly children: ReactNode
}

function HunkHeader({ index, hunk, label, children }: HunkHeaderProps): ReactNode {
  return (
    <AriaElement
      role="group"
      aria-label={label}
      tabIndex={-1}
      data-hunk={index}
      className="flex h-8 items-center border-line border-y bg-panel"
    >
      <div className="sticky left-0 flex items-center gap-2">
        <HunkPlace hunk={hunk} />
        <span className="flex gap-1 font-sans">{children}</span>
      </div>
    </AriaElement>
  )
}

interface GapProps {
  readonly lines: number | null
  readonly words: DiffWords
  readonly onOpen: () => void
}

function Gap({ lines, words, onOpen }: GapProps): ReactNode {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex h-6 w-full items-center gap-2 px-2 font-sans text-muted text-xs hover:bg-hover hover:text-text"
    >
      <span className="sticky left-2 flex items-center gap-2">
        <UnfoldVertical size={13} aria-hidden />
        {words.unchanged(lines)}
      </span>
    </button>
  )
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
      focusWhenThere(() => box.current?.querySelector<HTMLElement>(`[data-hunk="${next}"]`))
    },
  }))
}

/** A row that was out of sight is made some frames after the list is asked for it. */
function focusWhenThere(find: () => HTMLElement | null | undefined, framesLeft = 20): void {
  const element = find()
  element?.focus({ preventScroll: true })
  if (!element && framesLeft > 0) requestAnimationFrame(() => focusWhenThere(find, framesLeft - 1))
}
