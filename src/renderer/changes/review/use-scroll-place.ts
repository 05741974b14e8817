import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Anchor, ReviewLayout } from './review-layout.ts'

/** The part of a list that is rendered, in pixels. */
interface View {
  readonly from: number
  readonly to: number
}

export interface ScrollPlace {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly view: View
  onScroll(): void
  /** Brings a place to the top. */
  goTo(anchor: Anchor): void
  /** Gives up a place that cannot get to the top yet, so that nothing moves below a pointer. */
  stay(): void
  /** What is at the top of the visible part; null for an empty list. */
  top(): Anchor | null
}

/** The rendered part is larger than the visible one, and moves in steps, so that most scrolling renders nothing. */
const beyond = 800
const step = 20
/** A list is taller than nothing before it is measured. */
const firstHeight = 1000
/** Milliseconds after which the file at the top is reported. */
const restMs = 80

interface Kept {
  readonly at: Anchor
  /** Where the anchor was, and how far the list was scrolled then. In pixels. */
  readonly place: number
  readonly scrolled: number
}

/** Where a long list is scrolled to. What is at the top stays there while heights above it change. */
export function useScrollPlace(layout: ReviewLayout, onReach: (path: VirtualPath) => void): ScrollPlace {
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<View>({ from: 0, to: firstHeight + beyond })
  const anchor = useRef<Kept | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const look = useCallback((): void => {
    const element = scroller.current
    if (!element) return
    const { scrollTop, clientHeight } = element
    const from = Math.max(Math.floor((scrollTop - beyond) / step) * step, 0)
    const to = Math.ceil((scrollTop + clientHeight + beyond) / step) * step
    setView((now) => (now.from === from && now.to === to ? now : { from, to }))
  }, [])
  function remember(): void {
    const place = scroller.current?.scrollTop ?? 0
    const at = layout.anchorAt(place)
    anchor.current = at && { at, place, scrolled: place }
  }

  function report(): void {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const path = anchor.current?.at.path
      if (path !== undefined) onReach(path)
    }, restMs)
  }

  // Heights may have changed with any render. The difference is added, because the person may be scrolling. Where nothing
  // moved the list is not scrolled.
  useLayoutEffect(() => {
    const element = scroller.current
    const kept = anchor.current
    if (!element) return
    const place = kept && layout.placeOf(kept.at)
    const isShort = kept !== null && kept.scrolled < kept.place - 1
    if (kept && place !== null && (isShort || Math.abs(place - kept.place) >= 1)) {
      // At its end, the browser has already moved a list that became shorter. One that was too short to bring the anchor
      // to the top may be long enough now.
      const isMoved = element.scrollTop < kept.scrolled && isAtEnd(element)
      const from = isMoved ? kept.scrolled : element.scrollTop
      element.scrollTop = isShort ? place : from + place - kept.place
      anchor.current = { at: kept.at, place, scrolled: element.scrollTop }
      look()
    } else if (!kept || place === null) remember()
  })

  useLayoutEffect(() => layOut(scroller.current))

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => {
      observer.disconnect()
      clearTimeout(timer.current)
    }
  }, [look])

  return {
    scroller,
    view,
    onScroll() {
      // A scroll to where the list is already was not made by a person.
      if (Math.abs((anchor.current?.scrolled ?? -1) - (scroller.current?.scrollTop ?? 0)) >= 1) remember()
      look()
      report()
    },
    goTo(at) {
      const element = scroller.current
      const place = layout.placeOf(at)
      if (!element || place === null) return
      element.scrollTop = place
      anchor.current = { at, place, scrolled: element.scrollTop }
      look()
    },
    stay: remember,
    top: () => layout.anchorAt(scroller.current?.scrollTop ?? 0),
  }
}

/**
 * Lays the list out now, in the pause after a frame. Otherwise the next frame begins with it, and its callbacks and its
 * picture come later by those two milliseconds.
 */
function layOut(element: HTMLElement | null): void {
  element?.getBoundingClientRect()
}

function isAtEnd({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean {
  return scrollTop + clientHeight >= scrollHeight - 1
}
