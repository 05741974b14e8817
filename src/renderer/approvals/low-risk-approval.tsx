import { CheckCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Decision } from '#shared/model/interrupt.ts'
import { AgentMark } from '../parts/agent-mark.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import { type Answers, answerKey, forgetAnswers } from '../state/store/answers.ts'
import type { WaitingCall } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { isLowRisk, shownApproval } from './approval-logic.ts'
import { CallPreview, EditedPreview } from './call-preview.tsx'
import { useArmed } from './use-armed.ts'

const labels = strings.approvals

/** A call as its card shows it, with the decision that approves it. */
interface ShownCall extends WaitingCall {
  readonly decision: Decision
  /** Whether the person changed its arguments. */
  readonly edited: boolean
}

/** Null if what is typed on the card is not valid. */
function shownCall({ interrupt, request }: WaitingCall, answers: Answers): ShownCall | null {
  const decision = shownApproval(request, answers[answerKey(interrupt, request.callId)])
  if (decision?.type !== 'edit') return decision && { interrupt, request, decision, edited: false }
  return { interrupt, request: { ...request, args: decision.args }, decision, edited: true }
}

/** Approves the harmless calls of several agents together, after a look at what each of them does. */
export function LowRiskApproval({ waiting }: { waiting: readonly WaitingCall[] }): ReactNode {
  /** The calls that the dialog opened with; null while it is closed. */
  const [opened, setOpened] = useState<ReadonlySet<string> | null>(null)
  const answers = useApp((state) => state.answers)
  const low = waiting.filter(({ interrupt, request }) => isLowRisk(interrupt, request))
  const valid = low.flatMap((call) => shownCall(call, answers) ?? [])
  const harmless = valid.filter(
    ({ interrupt, request, decision }) => isLowRisk(interrupt, request) && !grantsHosts(decision),
  )
  // A call that arrives while the dialog is open was not looked at. One that was decided elsewhere drops out.
  const asked = harmless.filter(({ request }) => opened?.has(request.callId))
  if (harmless.length < 2 && asked.length === 0) return null
  return (
    <div className="px-3 pb-1">
      <Button
        className="w-full"
        icon={<CheckCheck size={14} aria-hidden />}
        onClick={() => setOpened(new Set(harmless.map(({ request }) => request.callId)))}
      >
        {labels.approveLowRisk(harmless.length)}
      </Button>
      {asked.length > 0 && (
        <LowRiskDialog calls={asked} leftOut={low.length - valid.length} onClose={() => setOpened(null)} />
      )}
    </div>
  )
}

/** A command with a grant is no longer of low risk. */
function grantsHosts(decision: Decision): boolean {
  return 'hosts' in decision && decision.hosts !== undefined
}

interface LowRiskDialogProps {
  readonly calls: readonly ShownCall[]
  readonly leftOut: number
  readonly onClose: () => void
}

function LowRiskDialog({ calls, leftOut, onClose }: LowRiskDialogProps): ReactNode {
  const { store } = useSession()
  const client = useClient()
  const projectId = useProjectId()
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
      title={labels.lowRiskTitle(calls.length)}
      description={labels.lowRiskAbout}
      closeLabel={strings.common.cancel}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button tone="primary" disabled={!armed || deciding.busy} onClick={() => void approve()}>
            {labels.lowRiskConfirm(calls.length)}
          </Button>
        </>
      }
    >
      {deciding.refusal && <RefusalNotice refusal={deciding.refusal} />}
      {leftOut > 0 && <p className="text-muted">{labels.leftOut(leftOut)}</p>}
      <ul className="flex flex-col gap-3">
        {calls.map(({ interrupt, request, edited }) => (
          <li key={`${interrupt.id}-${request.callId}`} className="flex flex-col gap-1">
            <p className="flex flex-wrap items-center gap-2">
              <AgentMark name={interrupt.agent} />
              <span className="font-medium">
                <VisibleText text={interrupt.agent} />
              </span>
              <span>{labels.wants(request.name, 'approval')}</span>
              <span className="text-muted text-xs">{edited ? labels.editedByYou : request.riskReason}</span>
            </p>
            {edited ? (
              <EditedPreview request={request} />
            ) : (
              <CallPreview threadId={interrupt.threadId} request={request} />
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
