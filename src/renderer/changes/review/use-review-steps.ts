import { type RefObject, useRef, useState } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiffRows } from '../../ui/diff/diff-rows.ts'
import { holdFocus } from '../../ui/react/focus.ts'
import { focusWhenRendered } from '../../ui/react/use-virtual-rows.ts'
import { headingHeight, type ReviewLayout } from './review-layout.ts'
import type { ScrollPlace } from './use-scroll-place.ts'

/** The ways through a review. */
export interface ReviewSteps {
  /** Brings a file to the top. */
  showFile(path: VirtualPath): void
  /** Brings a file to the top and focuses its heading. */
  focusFile(path: VirtualPath): void
  /** Focuses the heading of the next or the previous file. */
  stepFile(by: 1 | -1): void
  /** Focuses the next or the previous hunk, also of another file. */
  stepHunk(by: 1 | -1): void
  /** Brings a line of a hunk into sight, as soon as its file is there. */
  showLine(path: VirtualPath, lineOf: LineOf): void
  /** The file that has the focus, or the one at the top. */
  current(): FileChange | null
  mark(change: FileChange, viewed: boolean): void
  fold(path: VirtualPath, folded: boolean): void
}

/** Finds a row of a file; -1 for none. */
export type LineOf = (rows: DiffRows) => number

interface Goal {
  readonly path: VirtualPath
  readonly rowOf: LineOf
  readonly focus: boolean
}

interface StepParts {
  readonly files: readonly FileChange[]
  readonly folded: ReadonlySet<VirtualPath>
  readonly layout: ReviewLayout
  readonly place: ScrollPlace
  /** The rows of the files that are rendered. */
  readonly rows: RefObject<Map<VirtualPath, DiffRows>>
}

type Going = Omit<ReviewSteps, 'mark' | 'fold'> & {
  /** A file has its rows now. */
  arrive(path: VirtualPath, rows: DiffRows): void
}

/** Milliseconds in which the files around one are read and get their heights. */
const heightsKnown = 2_000
/** Pixels above a line that was searched. */
const roomAbove = 160

export function useReviewSteps(parts: StepParts): Going {
  const latest = useRef(parts)
  latest.current = parts
  const [going] = useState(() => createSteps(latest))
  return going
}

function createSteps(latest: RefObject<StepParts>): Going {
  let goal: Goal | null = null
  /** The hunk that was focused last. */
  let last: { readonly path: VirtualPath; readonly hunk: number } | null = null
  /** The file that was asked for last. In a list that is too short it does not get to the top. */
  let asked: VirtualPath | null = null
  /** Ends the wait for the heading that was asked for last. */
  let release = (): void => {}

  const box = (): HTMLElement | null => latest.current.place.scroller.current
  const heading = (path: VirtualPath) => box()?.querySelector<HTMLElement>(`[data-heading="${CSS.escape(path)}"]`)
  const focused = (): HTMLElement | null => {
    const element = document.activeElement
    return element instanceof HTMLElement && box()?.contains(element) ? element : null
  }

  function currentPath(): VirtualPath | null {
    const section = focused()?.closest<HTMLElement>('[data-path]')
    const path = section?.dataset.path as VirtualPath | undefined
    return path ?? (asked !== null && isInSight(asked) ? asked : null) ?? latest.current.place.top()?.path ?? null
  }

  /** True when the heading is in the list's visible part. */
  function isInSight(path: VirtualPath): boolean {
    const [list, own] = [box()?.getBoundingClientRect(), heading(path)?.getBoundingClientRect()]
    return list !== undefined && own !== undefined && own.bottom > list.top && own.top < list.bottom
  }

  function bringToTop(path: VirtualPath): void {
    latest.current.place.goTo({ path, row: null, offset: 0 })
  }

  function showFile(path: VirtualPath): void {
    release()
    goal = null
    asked = path
    bringToTop(path)
  }

  function focusFile(path: VirtualPath): void {
    last = null
    showFile(path)
    // The list takes the focus in between, because the focused row may be removed.
    const taker = heading(path) ?? box()
    taker?.focus({ preventScroll: true })
    // The heights of files above are guesses until they are drawn, so the file may leave the window once more.
    const seek = (): void => bringToTop(path)
    release = holdFocus(() => heading(path), { from: box(), keepsInSight: true, restMs: heightsKnown, seek })
  }

  function stepFile(by: 1 | -1): void {
    const { files } = latest.current
    const at = files.findIndex(({ path }) => path === currentPath())
    const isStart = focused()?.closest('[data-path]') == null && by === 1 && (box()?.scrollTop ?? 0) === 0
    const next = files[Math.min(Math.max(isStart ? 0 : at + by, 0), files.length - 1)]
    if (next) focusFile(next.path)
  }

  function goToHunk(path: VirtualPath, rows: DiffRows, hunk: number): void {
    const row = rows.hunks[hunk]
    if (row === undefined) return
    last = { path, hunk }
    release()
    const { place } = latest.current
    place.goTo({ path, row, offset: -headingHeight })
    const element = () => box()?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"] [data-hunk="${hunk}"]`)
    if (!element()) box()?.focus({ preventScroll: true })
    focusWhenRendered(element, { preventScroll: true })
  }

  /** The hunk to step from: the focused one, the last one, or none of the file at the top. */
  function hunkNow(): { readonly path: VirtualPath; readonly hunk: number } | null {
    const element = focused()?.closest<HTMLElement>('[data-hunk]')
    const path = currentPath()
    if (path === null) return null
    if (element) return { path, hunk: Number(element.dataset.hunk) }
    return last?.path === path ? last : { path, hunk: -1 }
  }

  function stepHunk(by: 1 | -1): void {
    const now = hunkNow()
    if (!now) return
    const { rows } = latest.current
    const known = rows.current.get(now.path)
    const next = now.hunk + by
    if (known?.hunks[next] !== undefined) goToHunk(now.path, known, next)
    else stepToFile(now.path, by)
  }

  /** Focuses the first or the last hunk of the next file that has one. */
  function stepToFile(from: VirtualPath, by: 1 | -1): void {
    const { files, folded, rows } = latest.current
    for (let at = files.findIndex(({ path }) => path === from) + by; ; at += by) {
      const file = files[at]
      if (!file) return
      if (folded.has(file.path) || file.added === null) continue
      const rowsThere = rows.current.get(file.path)
      if (rowsThere) {
        goToHunk(file.path, rowsThere, by === 1 ? 0 : rowsThere.hunks.length - 1)
        return
      }
      showFile(file.path)
      goal = { path: file.path, focus: true, rowOf: ({ hunks }) => (by === 1 ? hunks[0] : hunks.at(-1)) ?? -1 }
      return
    }
  }

  function reach({ path, rowOf, focus }: Goal, rows: DiffRows): void {
    const row = rowOf(rows)
    if (row < 0) return
    release()
    if (focus) goToHunk(path, rows, rows.hunks.indexOf(row))
    else latest.current.place.goTo({ path, row, offset: -roomAbove })
  }

  return {
    showFile,
    focusFile,
    stepFile,
    stepHunk,
    showLine(path, rowOf) {
      const known = latest.current.rows.current.get(path)
      const next: Goal = { path, rowOf, focus: false }
      if (known) return reach(next, known)
      showFile(path)
      goal = next
    },
    current() {
      const path = currentPath()
      return latest.current.files.find((file) => file.path === path) ?? null
    },
    arrive(path, rows) {
      if (goal?.path !== path) return
      const reached = goal
      goal = null
      reach(reached, rows)
    },
  }
}
