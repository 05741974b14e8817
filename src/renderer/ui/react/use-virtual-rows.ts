import { type FocusEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { ListRange, VirtuosoHandle } from 'react-virtuoso'
import { holdFocus } from './focus.ts'

interface VirtualRows {
  readonly list: RefObject<VirtuosoHandle | null>
  readonly box: RefObject<HTMLDivElement | null>
  /** Scrolls to a row and focuses it. Rows have their index as `data-row`. */
  focusRow(index: number): void
  /** For the list to call: reports which rows are rendered. */
  rangeChanged(range: ListRange): void
  /**
   * For the box around the list. The row that Tab leads to may be out of sight and not rendered; then the box takes
   * the focus and passes it on.
   */
  readonly stop: { readonly tabIndex: 0 | -1; onFocus(event: FocusEvent<HTMLElement>): void }
}

/** Keyboard focus for a list that renders only its visible rows. `reached` is the row Tab leads to. */
export function useVirtualRows(reached: number): VirtualRows {
  const list = useRef<VirtuosoHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const going = useRef(false)
  const release = useRef(() => {})
  const rendered = useRef<ListRange | null>(null)
  const [, setMade] = useState(true)
  const isMade = holds(rendered.current, reached)

  function focusRow(index: number): void {
    const row = (): HTMLElement | null | undefined => box.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)
    const seek = (): void => list.current?.scrollIntoView({ index })
    release.current()
    if (!row()) {
      // The box takes the focus in between, because the focused row is removed as soon as it is out of sight.
      going.current = true
      box.current?.focus({ preventScroll: true })
      going.current = false
      seek()
    }
    // A rendered row is focused at once, because it must receive the next key of a fast typist.
    else row()?.focus()
    release.current = holdFocus(row, { from: box.current, seek })
  }
  useEffect(() => () => release.current(), [])

  return {
    list,
    box,
    focusRow,
    rangeChanged(range) {
      rendered.current = range
      // A list that scrolls has another range at every frame. Its owner renders again only if the tab stop moves.
      setMade(holds(range, reached))
    },
    stop: {
      tabIndex: isMade ? -1 : 0,
      onFocus: ({ target, currentTarget }) => {
        if (target === currentTarget && !going.current) focusRow(reached)
      },
    },
  }
}

function holds(range: ListRange | null, row: number): boolean {
  return range === null || (row >= range.startIndex && row <= range.endIndex)
}

/**
 * Focuses an element once it is rendered. A list renders a row that was far out of sight only some frames after
 * scrolling there.
 */
export function focusWhenRendered(
  find: () => HTMLElement | null | undefined,
  options: FocusOptions = {},
  framesLeft = 20,
): void {
  const element = find()
  element?.focus(options)
  if (!element && framesLeft > 0) requestAnimationFrame(() => focusWhenRendered(find, options, framesLeft - 1))
}
