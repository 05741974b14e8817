import { type FocusEvent, type RefObject, useEffect, useRef } from 'react'

/** Event handlers for the grid. */
interface RowFocus {
  onFocus(event: FocusEvent<HTMLElement>): void
  onBlur(event: FocusEvent<HTMLElement>): void
}

interface RowFocusOptions {
  readonly box: RefObject<HTMLElement | null>
  /** The number of rows. */
  readonly rows: number
  readonly focusRow: (index: number) => void
}

/**
 * Keeps the focus in a grid whose rows come and go. When the focused row is removed, or its button is disabled, the
 * row in its place takes the focus. So a review by keyboard goes on there.
 */
export function useRowFocus({ box, rows, focusRow }: RowFocusOptions): RowFocus {
  const place = useRef<number | null>(null)
  const focus = useRef(focusRow)
  useEffect(() => {
    focus.current = focusRow
  })
  useEffect(() => {
    let stop = (): void => undefined
    const observer = new MutationObserver(() => {
      stop()
      // A disabled button does not lose the focus before the next frame.
      stop = afterFrames(2, () => {
        if (place.current === null || document.activeElement !== document.body || rows === 0) return
        focus.current(Math.min(place.current, rows - 1))
      })
    })
    if (box.current) observer.observe(box.current, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    return () => {
      stop()
      observer.disconnect()
    }
  }, [box, rows])
  return {
    onFocus: ({ target }) => {
      const row = target.closest<HTMLElement>('[data-row]')
      place.current = row ? Number(row.dataset.row) : null
    },
    onBlur: ({ target }) => {
      requestAnimationFrame(() => {
        const left =
          target.isConnected && !target.matches(':disabled') && !box.current?.contains(document.activeElement)
        if (left) place.current = null
      })
    },
  }
}

function afterFrames(count: number, run: () => void): () => void {
  let frame = requestAnimationFrame(function next() {
    count -= 1
    if (count > 0) frame = requestAnimationFrame(next)
    else run()
  })
  return () => cancelAnimationFrame(frame)
}
