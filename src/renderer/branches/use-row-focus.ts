import { type FocusEvent, type RefObject, useEffect, useRef } from 'react'

/** Handlers of the grid whose rows come and go. */
export interface RowFocus {
  onFocus(event: FocusEvent<HTMLElement>): void
  onBlur(event: FocusEvent<HTMLElement>): void
}

/**
 * A row that is discarded, or a button that is no more to be pressed, takes the focus with it. Then the row that stands
 * in its place gets it, so that a review by keyboard goes on where it was.
 */
export function useRowFocus(grid: RefObject<HTMLElement | null>, rows: readonly unknown[]): RowFocus {
  const place = useRef<number | null>(null)
  useEffect(() => {
    if (place.current === null || document.activeElement !== document.body) return
    rowsOf(grid.current)[Math.min(place.current, rows.length - 1)]?.focus()
  }, [grid, rows])
  return {
    onFocus: ({ target }) => {
      place.current = rowsOf(grid.current).findIndex((row) => row.contains(target))
    },
    onBlur: ({ target }) => {
      requestAnimationFrame(() => {
        const left =
          target.isConnected && !target.matches(':disabled') && !grid.current?.contains(document.activeElement)
        if (left) place.current = null
      })
    },
  }
}

function rowsOf(grid: HTMLElement | null): readonly HTMLElement[] {
  return [...(grid?.querySelectorAll<HTMLElement>('[role="row"]') ?? [])]
}
