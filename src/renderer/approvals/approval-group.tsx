import { type ReactNode, useState } from 'react'
import type { Decision, Interrupt } from '#shared/model/interrupt.ts'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks.tsx'
import { refusalOf } from '../state/refusal.ts'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { threadOf, undecided } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { toastNote } from '../ui/undo-toast.ts'
import { ApprovalCard } from './approval-card.tsx'
import { approvableAtOnce, cardKind } from './approval-logic.ts'
import { OutcomeCard } from './outcome-card.tsx'
import { QuestionCard } from './question-card.tsx'
import { useArmed } from './use-armed.ts'
import { useDecidedElsewhere } from './use-decided-elsewhere.ts'

const labels = strings.approvals

/** All calls of one interrupt that still wait, each a card of its own. */
export function ApprovalGroup({ interrupt }: { interrupt: Interrupt }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const thread = useApp((state) => threadOf(state, interrupt.threadId))
  const deciding = useCommand()
  const [sent, setSent] = useState<ReadonlySet<string>>(new Set())
  const armed = useArmed(interrupt.id)
  useDecidedElsewhere(interrupt, sent, armed)
  const open = thread ? undecided(thread, interrupt) : []
  const atOnce = approvableAtOnce(interrupt, open)

  async function decide(decisions: readonly Decision[]): Promise<void> {
    // A button that is disabled drops the focus, and with it the place of whoever works by keyboard.
    document.activeElement?.closest<HTMLElement>('[data-approval]')?.focus()
    setSent(new Set([...sent, ...decisions.map(({ callId }) => callId)]))
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
  }

  return (
    <div className="my-1 flex flex-col gap-2">
      {deciding.refusal && <RefusalNotice refusal={deciding.refusal} />}
      {atOnce.length > 1 && (
        <div className="flex justify-end">
          <Button
            disabled={!armed || deciding.busy}
            onClick={() => void decide(atOnce.map(({ callId }) => ({ type: 'approve', callId })))}
          >
            {labels.approveAll(atOnce.length)}
          </Button>
        </div>
      )}
      {open.map((request) => {
        const Card = cards[cardKind(interrupt, request)]
        return (
          <Card
            key={request.callId}
            interrupt={interrupt}
            request={request}
            position={labels.position(interrupt.action_requests.indexOf(request) + 1, interrupt.action_requests.length)}
            busy={sent.has(request.callId)}
            onDecide={(decision) => void decide([decision])}
          />
        )
      })}
    </div>
  )
}

const cards = { approval: ApprovalCard, question: QuestionCard, outcome: OutcomeCard } as const

function names({ action_requests: requests }: Interrupt, decisions: readonly Decision[]): string {
  const ids = new Set(decisions.map(({ callId }) => callId))
  return requests.flatMap(({ callId, name }) => (ids.has(callId) ? [name] : [])).join(', ')
}
