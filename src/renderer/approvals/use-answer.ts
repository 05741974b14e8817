import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import { useApp, useSession } from '../state/hooks/hooks.tsx'
import { type Answer, answerKey, changeAnswer, emptyAnswer } from '../state/store/answers.ts'
import { waitingCalls } from '../state/store/selectors.ts'

/** What is typed on the card of a call. It outlives the card, which goes when a person scrolls or changes the tab. */
export function useAnswer(
  interrupt: Interrupt,
  { callId }: ActionRequest,
): readonly [Answer, (change: Partial<Answer>) => void] {
  const { store } = useSession()
  const key = answerKey(interrupt, callId)
  const answer = useApp((state) => state.answers[key] ?? emptyAnswer)
  function keep(change: Partial<Answer>): void {
    store.setState((state) => {
      // While a long journal is read, not every call that waits is known yet.
      if (state.reading) return { answers: { ...state.answers, [key]: { ...answer, ...change } } }
      const waiting = waitingCalls(state).map(({ interrupt: of, request }) => answerKey(of, request.callId))
      return { answers: changeAnswer(state.answers, key, change, new Set(waiting)) }
    })
  }
  return [answer, keep]
}
