import { type MouseEvent, useCallback, useEffect, useRef, useState } from 'react'

/** Pixels from the end that still count as being there. */
const nearEnd = 48
/** Milliseconds until what a click opens has its height. */
const opens = 100

interface Follow {
  /** False once the reader has scrolled away from the end. */
  readonly following: boolean
  attach(scroller: HTMLElement | Window | null): void
  /** The content has another height, which is on screen from the next frame on. */
  onHeightChanged(): void
  /** What opens on a click is read where it is: the list stays. */
  onClickCapture(event: MouseEvent<HTMLElement>): void
  toEnd(): void
}

/** Keeps the end of a list in view, until the reader scrolls up and again once they are back; not while the list is `held` at a place. */
export function useFollow(held: boolean): Follow {
  const scroller = useRef<HTMLElement | null>(null)
  const follows = useRef(!held)
  const detach = useRef<() => void>(() => undefined)
  const [following, setFollowing] = useState(!held)
  const isHeld = useRef(held)
  isHeld.current = held
  const opening = useRef<ReturnType<typeof setTimeout> | null>(null)

  const set = useCallback((next: boolean) => {
    follows.current = next && !isHeld.current
    setFollowing(follows.current)
  }, [])

  const onResize = useCallback(() => {
    const element = scroller.current
    if (!element) return
    if (distanceToEnd(element) <= nearEnd) set(true)
    if (follows.current) element.scrollTop = element.scrollHeight
  }, [set])

  /** What a click opened has its height, or the next click comes: whatever grows from now on is no doing of the reader's. */
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
      if (scroller.current) detach.current = watch(scroller.current, set, onResize)
    },
    [set, onResize],
  )
  useEffect(() => () => detach.current(), [])

  return {
    following,
    attach,
    onHeightChanged: () => requestAnimationFrame(onResize),
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

/** Milliseconds after a gesture, or a change of height, in which a scroll is taken for its doing. */
const soon = 300
const keysUp: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home'])

/**
 * Only a reader who goes up leaves the end. Content that grows makes it further away without anybody having moved, and
 * content that shrinks for a moment takes the place up with it: a scroll that nobody's hand began, while heights change, is
 * none of the reader's.
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
  // The bar of the list itself is dragged, for as long as that takes.
  element.addEventListener(
    'pointermove',
    ({ target, buttons }) => void (target === element && buttons > 0 && gesture()),
    listen,
  )
  element.addEventListener('pointerdown', ({ target }) => void (target === element && gesture()), listen)
  const sizes = new ResizeObserver(onResize)
  sizes.observe(element)
  const heights = new ResizeObserver(look)
  for (const child of element.children) heights.observe(child)
  return () => {
    listening.abort()
    sizes.disconnect()
    heights.disconnect()
  }
}
