import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import type { IndexLocationWithAlign, VirtuosoHandle } from 'react-virtuoso'
import type { MessageId } from '#shared/model/ids.ts'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { AriaElement } from '../ui/react/elements.tsx'

/** An item of the conversation belongs to a message when its key begins with the message's id. */
function isOfMessage(key: string, messageId: MessageId): boolean {
  return key === messageId || key.startsWith(`${messageId}-`)
}

/**
 * The message that is asked for may be far from what is on screen: the list goes there and stays. Returns where a list begins that is
 * made now: there, or at its end.
 */
export function useShowFocusedMessage(
  items: readonly { readonly key: string }[],
  list: RefObject<VirtuosoHandle | null>,
): IndexLocationWithAlign {
  const messageId = useApp((state) => state.ui.focusMessage)
  const index = messageId ? items.findIndex(({ key }) => isOfMessage(key, messageId)) : -1
  const [start] = useState<IndexLocationWithAlign>(() =>
    index < 0 ? { index: 'LAST', align: 'end' } : { index, align: 'center' },
  )
  const shown = useRef<MessageId | null>(null)
  useEffect(() => {
    if (index >= 0 && shown.current !== messageId) list.current?.scrollToIndex({ index, align: 'center' })
    if (index >= 0 || !messageId) shown.current = messageId
  }, [messageId, index, list])
  return start
}

/** Takes the focus when its message is asked for, and shows it as long as it has it. */
export function FocusedMessage({ itemKey, children }: { itemKey: string; children: ReactNode }): ReactNode {
  const asked = useApp(({ ui }) => ui.focusMessage !== null && isOfMessage(itemKey, ui.focusMessage))
  const updateUi = useUpdateUi()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => (asked ? focusOnceShown(box) : undefined), [asked])
  if (!asked) return children
  return (
    <AriaElement
      role="group"
      aria-label={strings.chat.asked}
      ref={box}
      tabIndex={-1}
      onBlur={() => updateUi((ui) => ({ ...ui, focusMessage: null }))}
      className="rounded-lg outline-2 outline-accent"
    >
      {children}
    </AriaElement>
  )
}

/** A list that is made now is hidden until it has found its place, and what is hidden takes no focus. */
function focusOnceShown(box: RefObject<HTMLElement | null>): () => void {
  let frame = 0
  const attempt = (framesLeft: number): void => {
    box.current?.focus({ preventScroll: true })
    if (document.activeElement !== box.current && framesLeft > 0)
      frame = requestAnimationFrame(() => attempt(framesLeft - 1))
  }
  attempt(60)
  return () => cancelAnimationFrame(frame)
}
