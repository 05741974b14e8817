import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** The visible part of the timeline, in pixels. */
export interface TimelineView {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

interface Timeline {
  readonly box: RefObject<HTMLDivElement | null>
  readonly view: TimelineView
  /** Width in pixels of all the time that is shown. */
  readonly contentWidth: number
  /** True while the whole time fits into the view. */
  readonly fits: boolean
  /** True while the view moves along with the present. */
  readonly follows: boolean
  fit(): void
  follow(): void
  zoom(factor: number, atPixel?: number): void
}

const padding = 24
const [closest, widest] = [1, 400]
const nearEnd = 32

/** Scrolls and zooms the timeline. `gutter` is the width in pixels of the names beside it. */
export function useTimelineView(gutter: number): Timeline {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<TimelineView>({ left: 0, top: 0, width: 0, height: 0 })
  /** How many times longer than the view the whole time is. */
  const [scale, setScale] = useState(1)
  const [follows, setFollows] = useState(true)
  const keep = useRef<{ readonly share: number; readonly pixel: number } | null>(null)
  const room = Math.max(view.width - gutter - 2 * padding, 40)
  const contentWidth = room * scale

  useEffect(() => {
    const element = box.current
    if (!element) return
    let frame = 0
    const look = (): void => {
      frame = 0
      const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = element
      setView((now) =>
        now.left === left && now.top === top && now.width === width && now.height === height
          ? now
          : { left, top, width, height },
      )
    }
    const lookSoon = (): void => {
      frame ||= requestAnimationFrame(look)
    }
    const onScroll = (): void => {
      setFollows(element.scrollLeft + element.clientWidth > element.scrollWidth - nearEnd)
      lookSoon()
    }
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return
      event.preventDefault()
      zoomBy.current(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - element.getBoundingClientRect().left - gutter)
    }
    look()
    const sizes = new ResizeObserver(lookSoon)
    sizes.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      element.removeEventListener('scroll', onScroll)
      element.removeEventListener('wheel', onWheel)
    }
  }, [gutter])

  function zoom(factor: number, atPixel = room / 2): void {
    const next = Math.min(Math.max(scale * factor, closest), widest)
    keep.current = { share: (view.left + atPixel - padding) / contentWidth, pixel: atPixel }
    setScale(next)
  }
  const zoomBy = useRef(zoom)
  zoomBy.current = zoom

  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    if (keep.current) element.scrollLeft = keep.current.share * contentWidth + padding - keep.current.pixel
    else if (follows) element.scrollLeft = element.scrollWidth
    keep.current = null
  }, [contentWidth, follows])

  return {
    box,
    view,
    contentWidth,
    fits: scale === 1,
    follows,
    fit: () => setScale(1),
    follow: () => setFollows(true),
    zoom,
  }
}

/** Pixels between the names and the first moment. */
export const timelinePadding = padding
