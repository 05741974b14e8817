import type { KeyboardEvent } from 'react'
import type { CardAction } from '#shared/tools/card.ts'
import { isTyping } from '../../ui/react/keys.ts'
import { cardKey } from '../approval-logic.ts'

interface CardKeys {
  readonly ready: boolean
  readonly offered: ReadonlySet<CardAction>
  /** A person is about to reject the call. */
  readonly onAskReason: () => void
  readonly onAct: (action: CardAction) => void
  /** A person leaves the text that is being edited, or the reason. Both texts are kept. */
  readonly onLeave: () => void
}

/** What the keys of a focused card do. Esc goes back from a text to the card. */
export function useCardKeys({ ready, offered, onAskReason, onAct, onLeave }: CardKeys) {
  return (event: KeyboardEvent<HTMLElement>): void => {
    const typing = isTyping(event.target)
    if (event.key === 'Escape' && typing) {
      event.preventDefault()
      event.stopPropagation()
      event.currentTarget.focus()
      onLeave()
      return
    }
    const withModifier = event.ctrlKey || event.metaKey
    const submits = withModifier && event.key === 'Enter'
    const action = submits ? 'approve' : withModifier || event.altKey ? null : cardKey(event.key, ready, typing)
    if (!action) return
    event.preventDefault()
    if (action === 'reject' && offered.has('reject')) onAskReason()
    else onAct(action)
  }
}
