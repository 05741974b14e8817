import { type KeyboardEvent, useRef } from 'react'
import { textOf } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/message-notes.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { useUpdateUi } from '../../state/hooks/hooks.tsx'
import { showRewind } from '../../state/store/ui-state.ts'

type ComposerAction = 'send' | 'steer' | 'step' | 'stop' | 'none'

interface ComposerKey {
  readonly key: string
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly isComposing: boolean
}

/**
 * The effect of a key in the message box: Enter sends or queues, Alt+Enter pauses after every step, Mod+Enter steers a
 * running agent, Esc stops it, Shift+Enter starts a new line.
 */
export function composerAction(press: ComposerKey, running: boolean): ComposerAction {
  if (press.isComposing) return 'none'
  if (press.key === 'Escape') return running ? 'stop' : 'none'
  if (press.key !== 'Enter' || press.shiftKey) return 'none'
  if (press.altKey && !running) return 'step'
  return running && (press.ctrlKey || press.metaKey) ? 'steer' : 'send'
}

/** The most milliseconds between the two presses. */
const together = 600

/** Opens the list of checkpoints on Esc Esc. `onKeyDown` returns true for the second press. */
export function useDoubleEscape(enabled: boolean): { onKeyDown(event: KeyboardEvent): boolean } {
  const updateUi = useUpdateUi()
  const pressedAt = useRef(Number.NEGATIVE_INFINITY)
  return {
    onKeyDown(event) {
      if (event.key !== 'Escape' || !enabled) return false
      const isSecond = event.timeStamp - pressedAt.current < together
      pressedAt.current = isSecond ? Number.NEGATIVE_INFINITY : event.timeStamp
      if (isSecond) updateUi((ui) => showRewind(ui, null))
      return isSecond
    },
  }
}

/**
 * Brings back sent messages with Up in an empty message box, as a shell does; Down goes forward. `onKeyDown` returns
 * true if it used the key.
 */
export function useSentHistory(
  thread: ThreadState | null,
  text: string,
  setText: (text: string) => void,
): { onKeyDown(event: KeyboardEvent): boolean } {
  const place = useRef<number | null>(null)
  return {
    onKeyDown(event) {
      if ((event.key !== 'ArrowUp' && event.key !== 'ArrowDown') || event.shiftKey || event.altKey) return false
      const sent = sentTexts(thread)
      const isBrowsing = place.current !== null && sent[place.current] === text
      if (text !== '' && !isBrowsing) return false
      const from = isBrowsing ? (place.current ?? 0) : sent.length
      const to = from + (event.key === 'ArrowUp' ? -1 : 1)
      if (to < 0 || to > sent.length || (to === sent.length && !isBrowsing)) return false
      place.current = to === sent.length ? null : to
      setText(sent[to] ?? '')
      event.preventDefault()
      return true
    },
  }
}

/** The texts that the person sent in this thread, oldest first, without repeats. */
function sentTexts(thread: ThreadState | null): readonly string[] {
  const texts = (thread?.messages ?? []).flatMap((message) =>
    message.role === 'user' && message.origin === 'person' ? [readMessageNotes(textOf(message.content)).text] : [],
  )
  return texts.filter((text, index) => text !== '' && texts.lastIndexOf(text) === index)
}
