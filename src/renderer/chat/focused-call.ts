import { type RefObject, useEffect, useRef } from 'react'
import type { FlatIndexLocationWithAlign, VirtuosoHandle } from 'react-virtuoso'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { waitingCalls } from '../state/store/selectors.ts'
import { listCorrects } from '../ui/react/focus.ts'

/** An item of the conversation. The cards of an interrupt are one item. */
interface ListItem {
  readonly key: string
  readonly interrupt?: Interrupt
}

/** What the list was asked for last. */
interface Asked {
  readonly callId: string
  readonly at: number
  /** False while the list goes to the item, because the card is not drawn yet. */
  readonly placed: boolean
}

/** Milliseconds until the list is asked again. It guesses the heights of what it has not drawn, and can stop too early. */
const again = 300
/** Pixels above the card. */
const above = 16

/** Scrolls to the requested card. A card far out of sight is not rendered yet. */
export function useShowFocusedCall(items: readonly ListItem[], list: RefObject<VirtuosoHandle | null>): void {
  const callId = useApp((state) => state.ui.focusCall)
  const isGone = useApp(
    (state) => callId !== null && !waitingCalls(state).some((call) => call.request.callId === callId),
  )
  const updateUi = useUpdateUi()
  const asked = useRef<Asked | null>(null)
  useEffect(() => {
    if (isGone) updateUi((ui) => ({ ...ui, focusCall: null }))
  }, [isGone, updateUi])
  useEffect(() => {
    const index = items.findIndex(({ interrupt }) => interrupt?.action_requests.some((call) => call.callId === callId))
    if (!callId || index < 0) return
    const id = callId
    let frame = 0
    function go(): void {
      const next = nextPlace(id, asked.current)
      if (next) list.current?.scrollToIndex({ index, ...next })
      if (next) asked.current = { callId: id, at: performance.now(), placed: next.align === 'start' }
      frame = requestAnimationFrame(go)
    }
    go()
    return () => cancelAnimationFrame(frame)
  }, [callId, items, list])
}

/**
 * Where the list should go within the card's item: to its end until the card is drawn, then to the card. The list goes
 * on correcting its last place for a while, so a card that it was not asked for would leave the window again. Returns
 * null when it need not be asked.
 */
function nextPlace(callId: string, asked: Asked | null): Pick<FlatIndexLocationWithAlign, 'align' | 'offset'> | null {
  const card = document.querySelector(`[data-approval="${CSS.escape(callId)}"]`)
  const item = card?.closest('[role="listitem"]')
  const isSame = asked?.callId === callId
  const age = asked ? performance.now() - asked.at : Number.POSITIVE_INFINITY
  if (!card || !item) return isSame && age < again ? null : { align: 'end' }
  if (age > listCorrects || (isSame && asked.placed)) return null
  return { align: 'start', offset: card.getBoundingClientRect().top - item.getBoundingClientRect().top - above }
}
