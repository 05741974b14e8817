import { type RefObject, useEffect, useRef, useState } from 'react'
import { type Window, windowOf } from './visible.ts'

/** A reader within this many pixels of the end sees new events as they come. */
const nearEnd = 48

interface ScrolledView {
  readonly box: RefObject<HTMLDivElement | null>
  readonly window: Window
}

const noWindow: Window = { firstRow: 0, lastRow: -1, firstColumn: 0, lastColumn: -1 }

/**
 * The visible part of a scrolling box, right of a gutter that stays in place. A reader at the end follows new events; a
 * reader who scrolled away is not moved.
 */
export function useViewport(gutter: number, contentWidth: number, contentHeight: number): ScrolledView {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const [window, setWindow] = useState<Window>(noWindow)
  useEffect(() => {
    const element = box.current
    if (!element) return
    let frame = 0
    let scrolled = false
    const look = (): void => {
      frame = 0
      const { scrollLeft: left, scrollTop: top, clientWidth, clientHeight } = element
      if (scrolled) atEnd.current = left + clientWidth > gutter + contentWidth - nearEnd
      scrolled = false
      const content = { width: contentWidth, height: contentHeight }
      const next = windowOf({ left, top, width: clientWidth - gutter, height: clientHeight }, content)
      setWindow((before) => (sameWindow(before, next) ? before : next))
    }
    const lookSoon = (): void => {
      frame ||= requestAnimationFrame(look)
    }
    // Measures at most once a frame, because measuring at every event would force a layout each time.
    const onScroll = (): void => {
      scrolled = true
      lookSoon()
    }
    look()
    const sizes = new ResizeObserver(lookSoon)
    sizes.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [gutter, contentWidth, contentHeight])
  useEffect(() => {
    const element = box.current
    if (element && atEnd.current) element.scrollLeft = contentWidth
  }, [contentWidth])
  return { box, window }
}

function sameWindow(a: Window, b: Window): boolean {
  return (
    a.firstRow === b.firstRow &&
    a.lastRow === b.lastRow &&
    a.firstColumn === b.firstColumn &&
    a.lastColumn === b.lastColumn
  )
}
