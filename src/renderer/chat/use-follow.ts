import { type MouseEvent, useCallback, useEffect, useRef, useState } from 'react'

/** A reader within this many pixels of the end counts as being at the end. */
const nearEnd = 48
/** The most pixels that stand below the last card: the line that says what works, and a margin. */
const belowCards = 160
/** Milliseconds until something that a click opened has its final height. */
const opens = 100

interface Follow {
  /** False once the reader has scrolled away from the end. */
  readonly following: boolean
  /** True once a new list is in sight: at its end, or on its way to a place that was asked for. */
  readonly placed: boolean
  attach(scroller: HTMLElement | Window | null): void
  /** Call when the content's height changed. It is on screen in the next frame. */
  onHeightChanged(): void
  /** Call with the items that the list renders. An item that was only rendered to be measured has the size 0. */
  onItemsRendered(items: readonly { readonly size: number }[]): void
  /** Stops following when a click opens something, so that it can be read where it is. */
  onClickCapture(event: MouseEvent<HTMLElement>): void
  toEnd(): void
}

/**
 * Follows the end of a growing list until the reader scrolls up, and again once they are back. A new list hides its
 * items until they are in place, which `data-at-end` on its scroller says. Does not follow while `held`, which is while
 * the list goes to a place that somebody asked for. Afterwards it goes on if that place is its end.
 */
export function useFollow(held: boolean): Follow {
  const scroller = useRef<HTMLElement | null>(null)
  const follows = useRef(!held)
  const detach = useRef<() => void>(() => undefined)
  const [following, setFollowing] = useState(!held)
  const isHeld = useRef(held)
  isHeld.current = held
  const opening = useRef<ReturnType<typeof setTimeout> | null>(null)
  const hasItems = useRef(false)
  const [placed, setPlaced] = useState(false)

  const set = useCallback((next: boolean) => {
    follows.current = next && !isHeld.current
    setFollowing(follows.current)
  }, [])

  // The place that was asked for is looked for in the whole list, and shown there.
  const show = useCallback((element: HTMLElement) => {
    element.dataset.atEnd = ''
    setPlaced(true)
  }, [])

  useEffect(() => {
    if (!held) return
    const followed = follows.current
    set(false)
    if (scroller.current) show(scroller.current)
    return () => {
      const element = scroller.current
      if (followed && element && distanceToEnd(element) <= belowCards) set(true)
    }
  }, [held, set, show])

  const onResize = useCallback(() => {
    const element = scroller.current
    if (!element) return
    if (distanceToEnd(element) <= nearEnd) set(true)
    if (follows.current) element.scrollTop = element.scrollHeight
    if (!hasItems.current || isHeld.current) return
    element.dataset.atEnd = ''
    // Waits for the next frame, because more items in this one would move those that are shown.
    requestAnimationFrame(() => setPlaced(true))
  }, [set])

  /** Ends the pause after a click that opened something. From now on, growth is not caused by the reader. */
  const settle = useCallback(() => {
    if (opening.current === null) return
    clearTimeout(opening.current)
    opening.current = null
    if (scroller.current) set(distanceToEnd(scroller.current) <= nearEnd)
  }, [set])

  const attach = useCallback(
    (element: HTMLElement | Window | null) => {
      detach.current()
      scroller.current = element instanceof HTMLElement ? element : null
      if (!scroller.current) return
      detach.current = watch(scroller.current, set, onResize)
      if (isHeld.current) show(scroller.current)
    },
    [set, onResize, show],
  )
  useEffect(() => () => detach.current(), [])

  return {
    following,
    placed,
    attach,
    onHeightChanged: () => requestAnimationFrame(onResize),
    onItemsRendered: (items) => {
      if (hasItems.current || !items.some(({ size }) => size > 0)) return
      hasItems.current = true
      requestAnimationFrame(onResize)
    },
    onClickCapture: ({ target }) => {
      settle()
      if (!(target instanceof Element && target.closest('[aria-expanded]'))) return
      follows.current = false
      opening.current = setTimeout(settle, opens)
    },
    toEnd: () => {
      set(true)
      onResize()
    },
  }
}

function distanceToEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight
}

/** A scroll within this many milliseconds after a gesture, or after a change of height, is attributed to it. */
const soon = 300
const keysUp: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home'])

/**
 * Distinguishes a reader who scrolls up from content that changes. Growing content moves the end away, and content
 * that shrinks for a moment moves the position up. So a scroll without a gesture while heights change is not the
 * reader's.
 */
function watch(element: HTMLElement, set: (following: boolean) => void, onResize: () => void): () => void {
  let last = element.scrollTop
  let height = element.scrollHeight
  let [gestureAt, heightAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const listening = new AbortController()
  const listen = { passive: true, signal: listening.signal }
  const gesture = (): void => {
    gestureAt = performance.now()
  }
  const isReaders = (): boolean => performance.now() - gestureAt < soon || performance.now() - heightAt > soon
  function look(): void {
    if (element.scrollHeight !== height) heightAt = performance.now()
    height = element.scrollHeight
  }
  function onScroll(): void {
    look()
    if (distanceToEnd(element) <= nearEnd) set(true)
    else if (element.scrollTop < last && isReaders()) set(false)
    last = element.scrollTop
  }
  element.addEventListener('scroll', onScroll, listen)
  element.addEventListener('wheel', gesture, listen)
  element.addEventListener('touchmove', gesture, listen)
  element.addEventListener('keydown', ({ key }) => void (keysUp.has(key) && gesture()), listen)
  // The reader is dragging the scroll bar.
  element.addEventListener(
    'pointermove',
    ({ target, buttons }) => void (target === element && buttons > 0 && gesture()),
    listen,
  )
  element.addEventListener('pointerdown', ({ target }) => void (target === element && gesture()), listen)
  const sizes = new ResizeObserver(onResize)
  sizes.observe(element)
  // Before the frame is painted in which the list grows.
  const list = element.querySelector('[role=list]')
  if (list) sizes.observe(list)
  const heights = new ResizeObserver(look)
  for (const child of element.children) heights.observe(child)
  return () => {
    listening.abort()
    sizes.disconnect()
    heights.disconnect()
  }
}
