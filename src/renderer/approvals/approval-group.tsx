import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import { wasTried } from '#shared/tools/card.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { refusalOf } from '../state/connection/refusal.ts'
import { useApp, useAppList, useClient, useCommand, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import { answerKey, forgetAnswers } from '../state/store/answers.ts'
import type { AppState } from '../state/store/app-state.ts'
import { showNextApproval } from '../state/store/approval-walk.ts'
import { openRequests, threadOf, waitingCalls } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { approvableAtOnce, kindOfAll, shownApproval } from './approval-logic.ts'
import { useArmed } from './use-armed.ts'

const ApprovalCard = lazy(async () => ({ default: (await import('./card/approval-card.tsx')).ApprovalCard }))

const labels = strings.approvals

/** Shows a card for each call of an interrupt that still waits. */
export function ApprovalGroup({ interrupt }: { interrupt: Interrupt }): ReactNode {
  const client = useClient()
  const session = useSession()
  const projectId = useProjectId()
  const walk = useAppList((state) => waitingCalls(state).map(({ request }) => request.callId))
  const thread = useApp((state) => threadOf(state, interrupt.threadId))
  const answers = useApp((state) => state.answers)
  const deciding = useCommand()
  const [sent, setSent] = useState<ReadonlySet<string>>(new Set())
  const armed = useArmed(interrupt.id)
  useNoteDecidedElsewhere(interrupt, sent, armed)
  const open = thread ? openRequests(thread, interrupt) : []
  const atOnce = approvableAtOnce(interrupt, open)
  const approvals = atOnce.flatMap(
    (request) => shownApproval(request, answers[answerKey(interrupt, request.callId)]) ?? [],
  )

  async function decide(decisions: readonly Decision[]): Promise<void> {
    // A button loses the focus when it is disabled. The card takes the focus, so that keyboard work continues there.
    document.activeElement?.closest<HTMLElement>('[data-approval]')?.focus()
    const decided = new Set(decisions.map(({ callId }) => callId))
    setSent(new Set([...sent, ...decided]))
    session.updateUi((ui) => showNextApproval({ ...session.store.getState(), ui }, decided))
    const { threadId, id: interruptId } = interrupt
    const done = await deciding.run(async () => {
      try {
        await client.approvals.decide({ projectId, threadId, interruptId, decisions: [...decisions] })
      } catch (error) {
        if (refusalOf(error).code !== 'ALREADY_DECIDED') throw error
        toastNote(labels.decidedElsewhere(names(interrupt, decisions)))
      }
    })
    if (!done) setSent(new Set())
    else {
      const keys = decisions.map(({ callId }) => answerKey(interrupt, callId))
      session.store.setState(({ answers }) => ({ answers: forgetAnswers(answers, keys) }))
    }
  }

  return (
    <div className="my-1 flex flex-col gap-2">
      {deciding.refusal && <RefusalNotice refusal={deciding.refusal} />}
      {atOnce.length > 1 && (
        <div className="flex flex-wrap items-center justify-end gap-2">
          {approvals.length < atOnce.length && (
            <p className="text-muted text-xs">{labels.leftOut(atOnce.length - approvals.length)}</p>
          )}
          <Button disabled={!armed || deciding.busy || approvals.length === 0} onClick={() => void decide(approvals)}>
            {labels.all[kindOfAll(atOnce)](approvals.length)}
          </Button>
        </div>
      )}
      <Suspense>
        {open.map((request) => {
          // A line joins a run to the one before it, whose changes it saw.
          const joined = wasTried(request) && request.effects.after !== undefined
          return (
            <div key={request.callId} className={joined ? 'ml-2 border-line-strong border-l-2 pl-2' : undefined}>
              <ApprovalCard
                interrupt={interrupt}
                request={request}
                position={labels.position(walk.indexOf(request.callId) + 1, walk.length)}
                busy={sent.has(request.callId)}
                onDecide={(decision) => void decide([decision])}
              />
            </div>
          )
        })}
      </Suspense>
    </div>
  )
}

function names({ action_requests: requests }: Interrupt, decisions: readonly Decision[]): string {
  const ids = new Set(decisions.map(({ callId }) => callId))
  return requests.flatMap(({ callId, name }) => (ids.has(callId) ? [name] : [])).join(', ')
}

/**
 * Tells the person when another window, or the command line, decided a call of this interrupt. `watching` is false
 * while the journal is being read, because old cards come and go then.
 */
function useNoteDecidedElsewhere(interrupt: Interrupt, decidedHere: ReadonlySet<string>, watching: boolean): void {
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
