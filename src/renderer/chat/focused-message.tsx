import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import type { IndexLocationWithAlign, VirtuosoHandle } from 'react-virtuoso'
import type { MessageId } from '#shared/model/ids.ts'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { AriaElement } from '../ui/react/elements.tsx'

/** Whether an item of the conversation belongs to a message. The key of such an item begins with the message's id. */
function isOfMessage(key: string, messageId: MessageId): boolean {
  return key === messageId || key.startsWith(`${messageId}-`)
}

/**
 * Scrolls to the requested message, and stays there. Returns where a new list starts: at that message, or at its end.
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

/** Focuses and outlines an item while its message is requested. */
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

/** Focuses the box once it is visible. A new list is hidden until it has scrolled to its start. */
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
