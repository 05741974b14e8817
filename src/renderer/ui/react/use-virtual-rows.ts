import { type FocusEvent, type RefObject, useRef, useState } from 'react'
import type { ListRange, VirtuosoHandle } from 'react-virtuoso'

interface VirtualRows {
  readonly list: RefObject<VirtuosoHandle | null>
  readonly box: RefObject<HTMLDivElement | null>
  /** Brings a row into sight and gives it the focus; rows carry `data-row`. */
  focusRow(index: number): void
  /** For the list: which rows are made. */
  rangeChanged(range: ListRange): void
  /**
   * For the box around the list. The row that Tab reaches may be out of sight, and then it does not exist: the box takes
   * its place and leads to it.
   */
  readonly stop: { readonly tabIndex: 0 | -1; onFocus(event: FocusEvent<HTMLElement>): void }
}

/** A list whose rows are made only in sight, and whose keyboard focus still goes from row to row. */
export function useVirtualRows(reached: number): VirtualRows {
  const list = useRef<VirtuosoHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const going = useRef(false)
  const [made, setMade] = useState<ListRange | null>(null)
  const isMade = made === null || (reached >= made.startIndex && reached <= made.endIndex)

  function focusRow(index: number): void {
    const row = (): HTMLElement | null | undefined => box.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)
    const made = row()
    // At once where it is made: the next key of somebody who types fast must find the focus there.
    if (made) {
      made.focus()
      return
    }
    // Keys pressed on the way are the box's: the row that has the focus goes as soon as it is out of sight.
    going.current = true
    box.current?.focus({ preventScroll: true })
    going.current = false
    list.current?.scrollIntoView({ index, done: () => focusWhenThere(row) })
  }

  return {
    list,
    box,
    focusRow,
    rangeChanged: setMade,
    stop: {
      tabIndex: isMade ? -1 : 0,
      onFocus: ({ target, currentTarget }) => {
        if (target === currentTarget && !going.current) focusRow(reached)
      },
    },
  }
}

/** A row that was far out of sight is made some frames after the list has gone there. */
function focusWhenThere(row: () => HTMLElement | null | undefined, framesLeft = 20): void {
  const made = row()
  made?.focus()
  if (!made && framesLeft > 0) requestAnimationFrame(() => focusWhenThere(row, framesLeft - 1))
}
