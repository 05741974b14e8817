import {
  type ReactNode,
  type RefObject,
  useCallback,
  useImperativeHandle,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Review } from '../../parts/review/use-review.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { useAuthorNames } from '../../state/hooks/use-author-names.ts'
import { strings } from '../../strings/strings.ts'
import type { DiffLayout, DiffRows } from '../../ui/diff/diff-rows.ts'
import { AriaElement } from '../../ui/react/elements.tsx'
import type { RenderConflict } from '../disk-conflict.tsx'
import type { ChangeActions } from '../use-change-actions.ts'
import { otherView } from './file-body.tsx'
import { FileSection } from './file-section.tsx'
import { foldReasonOf } from './fold-reason.ts'
import { createMovedBetween } from './moved-between.ts'
import { createReviewLayout } from './review-layout.ts'
import { createDiffStore } from './use-file-diff.ts'
import { type ReviewSteps, useReviewSteps } from './use-review-steps.ts'
import { useScrollPlace } from './use-scroll-place.ts'

export interface ReviewListProps {
  readonly branchId: BranchId
  readonly files: readonly FileChange[]
  readonly viewed: ReadonlySet<VirtualPath>
  readonly onViewed: (change: FileChange, viewed: boolean) => void
  readonly actions: ChangeActions
  readonly review: Review
  readonly renderConflict: RenderConflict
  readonly diffLayout: DiffLayout
  readonly wrap: boolean
  readonly find: string
  /** In pixels. */
  readonly width: number
  readonly steps: RefObject<ReviewSteps | null>
  /** The file at the top of the visible part is another one. */
  readonly onReach: (path: VirtualPath) => void
}

/** All changed files in one list, each below a heading that stays in sight. Only what is near the visible part is rendered. */
export function ReviewList(props: ReviewListProps): ReactNode {
  const { branchId, files, viewed, onViewed, width, steps, onReach } = props
  const [layout] = useState(createReviewLayout)
  const [store] = useState(createDiffStore)
  const [movedBetween] = useState(createMovedBetween)
  const [resized, redraw] = useReducer((count: number) => count + 1, 0)
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set())
  const [folds, setFolds] = useState<ReadonlyMap<VirtualPath, boolean>>(new Map())
  const focusedPath = useRef<string | null>(null)
  const shownRows = useRef(new Map<VirtualPath, DiffRows>())
  const nameOf = useAuthorNames(branchId)
  const drifts = useApp((state) => state.live.drifts.get(branchId))

  const folded = useMemo(() => foldedOf(files, viewed, folds), [files, viewed, folds])
  // The layout is a cache of the files, and setting the same files again changes nothing.
  useMemo(() => {
    layout.setFiles(
      files.map(({ path }) => path),
      (place) => estimateBody(files[place]),
    )
  }, [files, layout])
  useMemo(() => layout.setFolded(folded), [folded, layout])

  const place = useScrollPlace(layout, onReach)
  const { view, scroller } = place
  const go = useReviewSteps({ files, folded, layout, place, rows: shownRows })
  const onRows = useCallback(
    (change: FileChange, rows: DiffRows | null) => {
      if (rows) shownRows.current.set(change.path, rows)
      else shownRows.current.delete(change.path)
      if (rows) go.arrive(change.path, rows)
    },
    [go],
  )
  const fold = useCallback(
    (path: VirtualPath, folded: boolean) => setFolds((now) => new Map(now).set(path, folded)),
    [],
  )
  const mark = useCallback(
    (change: FileChange, to: boolean) => {
      setFolds((now) => new Map([...now].filter(([path]) => path !== change.path)))
      onViewed(change, to)
    },
    [onViewed],
  )
  const ask = useCallback((what: string) => setAsked((now) => toggle(now, what)), [])
  const showOther = useCallback((path: VirtualPath) => ask(otherView(path)), [ask])
  useImperativeHandle(steps, () => ({ ...go, mark: (change, to) => mark(change, to), fold }))

  const range = layout.between(view.from, view.to)
  const inRange = range ? files.slice(range[0], range[1] + 1) : []
  // The file with the focus stays, because the focus would go with it.
  const focused = files.find(({ path }) => path === focusedPath.current)
  const shown = focused && !inRange.includes(focused) ? [...inRange, focused] : inRange
  return (
    <AriaElement
      ref={scroller}
      role="group"
      data-review=""
      aria-label={strings.fileReview.list}
      tabIndex={0}
      onScroll={place.onScroll}
      onPointerDownCapture={place.stay}
      onFocus={({ target }) => {
        focusedPath.current = target.closest<HTMLElement>('[data-path]')?.dataset.path ?? null
      }}
      onBlur={() => {
        focusedPath.current = null
      }}
      className="relative min-h-0 min-w-0 flex-1 overflow-y-auto outline-none [overflow-anchor:none]"
    >
      <div className="relative" style={{ height: layout.total() }}>
        {shown.map((change) => {
          const { path } = change
          const top = layout.topOf(path)
          const start = top + layout.rowsStart(path)
          return (
            <FileSection
              key={path}
              {...props}
              change={change}
              top={top}
              height={layout.heightOf(path)}
              from={Math.max(view.from - start, 0)}
              to={Math.min(view.to - start, layout.heightOf(path))}
              author={nameOf(path)}
              drift={drifts?.get(path)}
              reason={foldReasonOf(change)}
              folded={folded.has(path)}
              viewed={viewed.has(path)}
              asked={asked}
              width={width}
              layout={layout}
              store={store}
              movedBetween={movedBetween}
              onAsk={ask}
              onView={showOther}
              onFold={fold}
              onMark={mark}
              resized={resized}
              onResize={redraw}
              onRows={onRows}
            />
          )
        })}
      </div>
    </AriaElement>
  )
}

/** The folded files. The person's choice wins; otherwise viewed, generated and lock files are folded. */
function foldedOf(
  files: readonly FileChange[],
  viewed: ReadonlySet<VirtualPath>,
  folds: ReadonlyMap<VirtualPath, boolean>,
): ReadonlySet<VirtualPath> {
  const isFolded = (change: FileChange): boolean => {
    const chosen = folds.get(change.path)
    if (chosen !== undefined) return chosen
    const reason = foldReasonOf(change)
    return viewed.has(change.path) || reason === 'lock' || reason === 'generated'
  }
  return new Set(files.filter(isFolded).map(({ path }) => path))
}

function toggle(asked: ReadonlySet<string>, what: string): ReadonlySet<string> {
  const next = new Set(asked)
  if (!next.delete(what)) next.add(what)
  return next
}

/** The pixels that a body will probably take. */
function estimateBody(change: FileChange | undefined): number {
  const { added, removed, kind } = change ?? {}
  if (added == null || removed == null) return 56
  const context = kind === 'create' || kind === 'delete' ? 0 : 6
  return 32 + Math.min(added + removed + context, 5000) * 20
}
