import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { cardAfterKey, cardAt, isArrow } from './board.ts'
import type { Board } from './use-board.ts'

interface BoardKeys {
  /** For the box around all cards. */
  readonly root: RefObject<HTMLDivElement | null>
  /** The card that Tab leads to; null without cards. */
  readonly reached: string | null
  reach(key: string): void
  onKeyDown(event: KeyboardEvent<HTMLElement>): void
}

interface Focusing {
  /** The `data-row` of a card. */
  rowOf(key: string): number
  /** Scrolls to a card and focuses it. */
  focusCard(key: string): void
}

/** A list shows new cards only some frames after it got them. */
const frames = 20

/** Arrow keys choose a card, and move it with Alt or Ctrl. Enter edits the card, Delete removes it. */
export function useBoardKeys(board: Board, stacked: boolean, { rowOf, focusCard }: Focusing): BoardKeys {
  const { columns, actions, focusNext } = board
  const [chosen, setChosen] = useState<string | null>(null)
  const first = columns.flatMap(({ cards }) => cards)[0]?.key ?? null
  const reached = cardAt(columns, chosen) ? chosen : first
  const root = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const key = focusNext.current
    const card = cardAt(columns, key)
    if (key === null || board.editing !== null || !card) return
    focusNext.current = null
    setChosen(key)
    focusMoved(`[data-card="${CSS.escape(key)}"][data-status="${card.status}"][data-row="${rowOf(key)}"]`, key, frames)
  })

  /** Focuses a card on its new place. A place that was not rendered after some frames is out of sight. */
  function focusMoved(selector: string, key: string, left: number): void {
    const card = root.current?.querySelector<HTMLElement>(selector)
    if (card) card.focus()
    else if (left === 0) focusCard(key)
    else requestAnimationFrame(() => focusMoved(selector, key, left - 1))
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const key = (event.target as HTMLElement).dataset.card
    if (key === undefined || event.defaultPrevented) return
    const moves = event.altKey || event.ctrlKey || event.metaKey
    if (isArrow(event.key)) {
      const next = moves ? null : cardAfterKey(columns, key, event.key, stacked)
      event.preventDefault()
      if (moves) actions.step(key, event.key)
      else if (next !== null) {
        setChosen(next)
        focusCard(next)
      }
    } else if (event.key === 'Enter' && !moves) {
      event.preventDefault()
      actions.startEditing(key)
    } else if (event.key === 'Delete' && !moves) actions.remove(key)
  }

  return { root, reached, reach: setChosen, onKeyDown }
}
