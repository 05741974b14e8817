import { useEffect, useRef } from 'react'
import type { Interrupt } from '#shared/model/interrupt.ts'
import type { AppState } from '../state/app-state.ts'
import { useSession } from '../state/hooks.tsx'
import { threadOf } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'
import { toastNote } from '../ui/undo-toast.ts'

/**
 * Says so when a card goes away because another window, or the command line, has decided its call. `watching` is false
 * while cards of long ago may still come and go as the journal arrives.
 */
export function useDecidedElsewhere(interrupt: Interrupt, decidedHere: ReadonlySet<string>, watching: boolean): void {
  const { store } = useSession()
  const here = useRef(decidedHere)
  useEffect(() => {
    here.current = decidedHere
  }, [decidedHere])
  useEffect(() => {
    if (!watching) return
    return store.subscribe((state, before) => {
      for (const request of interrupt.action_requests) {
        const decided = isDecided(state, interrupt, request.callId) && !isDecided(before, interrupt, request.callId)
        if (decided && !here.current.has(request.callId)) toastNote(strings.approvals.decidedElsewhere(request.name))
      }
    })
  }, [store, interrupt, watching])
}

function isDecided(state: AppState, { threadId }: Interrupt, callId: Interrupt['action_requests'][number]['callId']) {
  const decision = threadOf(state, threadId)?.calls.get(callId)?.decision
  return decision !== null && decision !== undefined
}
