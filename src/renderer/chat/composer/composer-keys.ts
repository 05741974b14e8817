import { type KeyboardEvent, useRef } from 'react'
import { textOf } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { useSession, useUpdateUi } from '../../state/hooks/hooks.tsx'
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

interface HistoryField {
  readonly thread: ThreadState | null
  readonly text: string
  /** Shows a text and leaves the saved draft as it is. */
  readonly showText: (text: string) => void
}

interface Walk {
  readonly sent: readonly string[]
  readonly place: number
}

/**
 * Brings back the messages that the person sent in this project, with Up in an empty box. Down goes forward and ends at
 * the empty box. A draft is never replaced: the next key would overwrite it. `onKeyDown` returns true if it used the key.
 */
export function useSentHistory({ thread, text, showText }: HistoryField): {
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): boolean
} {
  const { store } = useSession()
  const walk = useRef<Walk | null>(null)
  return {
    onKeyDown(event) {
      if ((event.key !== 'ArrowUp' && event.key !== 'ArrowDown') || event.shiftKey || event.altKey) return false
      const current = walk.current && walk.current.sent[walk.current.place] === text ? walk.current : null
      if (!current && !(event.key === 'ArrowUp' && text === '')) return false
      const sent = current?.sent ?? sentTexts(store.getState().project.threads.values(), thread)
      const place = (current?.place ?? sent.length) + (event.key === 'ArrowUp' ? -1 : 1)
      if (place < 0 || (!current && place >= sent.length)) return false
      const next = sent[place]
      walk.current = next === undefined ? null : { sent, place }
      showText(next ?? '')
      event.preventDefault()
      return true
    },
  }
}

type Sender = Pick<ThreadState, 'id' | 'messages' | 'updatedAt'>

/** The texts that the person sent in any thread, without repeats: oldest thread first, the open one last. */
function sentTexts(threads: Iterable<Sender>, open: Pick<Sender, 'id'> | null): readonly string[] {
  const isOpen = ({ id }: Sender): number => Number(id === open?.id)
  const inOrder = [...threads].sort((a, b) => isOpen(a) - isOpen(b) || a.updatedAt - b.updatedAt)
  const texts = inOrder
    .flatMap(({ messages }) => messages)
    .flatMap((message) =>
      message.role === 'user' && message.origin === 'person' ? [readMessageNotes(textOf(message.content)).text] : [],
    )
    .filter((text) => text !== '')
  return [...new Set(texts.toReversed())].reverse()
}
