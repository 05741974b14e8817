import type { ReactNode } from 'react'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import { wasTried } from '#shared/tools/card.ts'
import { headerOf } from '#shared/tools/card-words.ts'
import { AgentMark } from '../parts/agents/agent-mark.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import { answerKey, forgetAnswers } from '../state/store/answers.ts'
import type { WaitingCall } from '../state/store/selectors.ts'
import { cardStrings } from '../strings/later/card.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { kindOfAll } from './approval-logic.ts'
import { CallText } from './card/call-text.tsx'
import { CardChange } from './card/card-change.tsx'
import { RunEnd } from './card/card-frame.tsx'
import { CardOutput } from './card/card-output.tsx'
import { useArmed } from './use-armed.ts'

const labels = cardStrings.lowRisk

/** A call as its card shows it, with the decision that approves it. */
export interface ShownCall extends WaitingCall {
  readonly decision: Decision
  /** Whether the person changed its arguments. */
  readonly edited: boolean
}

interface LowRiskDialogProps {
  readonly calls: readonly ShownCall[]
  readonly leftOut: number
  readonly onClose: () => void
}

/** The harmless calls of several agents, each with what it does or did, and one button for all of them. */
export function LowRiskDialog({ calls, leftOut, onClose }: LowRiskDialogProps): ReactNode {
  const { store } = useSession()
  const client = useClient()
  const projectId = useProjectId()
  const kind = kindOfAll(calls.map(({ request }) => request))
  const deciding = useCommand()
  const armed = useArmed(calls.map(({ request }) => request.callId).join())
  async function approve(): Promise<void> {
    const done = await deciding.run(() =>
      Promise.all(
        [...Map.groupBy(calls, ({ interrupt }) => interrupt)].map(async ([interrupt, of]) => {
          const { threadId, id: interruptId } = interrupt
          await client.approvals.decide({
            projectId,
            threadId,
            interruptId,
            decisions: of.map(({ decision }) => decision),
          })
          const keys = of.map(({ request }) => answerKey(interrupt, request.callId))
          store.setState((state) => ({ answers: forgetAnswers(state.answers, keys) }))
        }),
      ),
    )
    if (done) onClose()
  }
  return (
    <Dialog
      wide
      title={labels.title[kind](calls.length)}
      description={kind === 'asks' ? labels.about.asks : labels.about.tried}
      closeLabel={strings.common.cancel}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button tone="primary" disabled={!armed || deciding.busy} onClick={() => void approve()}>
            {labels.confirm[kind](calls.length)}
          </Button>
        </>
      }
    >
      {deciding.refusal && <RefusalNotice refusal={deciding.refusal} />}
      {leftOut > 0 && <p className="text-muted">{strings.approvals.leftOut(leftOut)}</p>}
      <ul className="flex flex-col gap-3">
        {calls.map(({ interrupt, request, edited }) => (
          <li key={`${interrupt.id}-${request.callId}`} className="flex flex-col gap-1">
            <p className="flex flex-wrap items-center gap-2">
              <AgentMark name={interrupt.agent} />
              <span className="font-medium">
                <VisibleText text={interrupt.agent} />
              </span>
              <span>{headerOf(request, 'approval')}</span>
              {wasTried(request) ? (
                <RunEnd request={request} />
              ) : (
                <span className="text-muted text-xs">{edited ? cardStrings.editedByYou : request.riskReason}</span>
              )}
            </p>
            <CallText request={request} />
            <CardChange interrupt={interrupt} request={request} />
            {wasTried(request) && <CardOutput request={request} />}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
