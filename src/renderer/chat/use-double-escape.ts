import { type KeyboardEvent, useRef } from 'react'
import { useUpdateView } from '../state/hooks.tsx'
import { showRewind } from '../state/view.ts'

/** Milliseconds between two presses that belong together. */
const together = 600

/** Esc Esc opens the list of checkpoints. `onKeyDown` answers whether the press was the second of two. */
export function useDoubleEscape(enabled: boolean): { onKeyDown(event: KeyboardEvent): boolean } {
  const updateView = useUpdateView()
  const pressedAt = useRef(Number.NEGATIVE_INFINITY)
  return {
    onKeyDown(event) {
      if (event.key !== 'Escape' || !enabled) return false
      const isSecond = event.timeStamp - pressedAt.current < together
      pressedAt.current = isSecond ? Number.NEGATIVE_INFINITY : event.timeStamp
      if (isSecond) updateView((view) => showRewind(view, null))
      return isSecond
    },
  }
}
