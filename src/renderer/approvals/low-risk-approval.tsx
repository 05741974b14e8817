import { CheckCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { AgentMark } from '../parts/agent-mark.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import type { WaitingCall } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { isLowRisk } from './approval-logic.ts'
import { CallPreview } from './call-preview.tsx'
import { useArmed } from './use-armed.ts'

const labels = strings.approvals

/** Approves the harmless calls of several agents together, after a look at what each of them does. */
export function LowRiskApproval({ waiting }: { waiting: readonly WaitingCall[] }): ReactNode {
  /** The calls that the dialog opened with; null while it is closed. */
  const [opened, setOpened] = useState<ReadonlySet<string> | null>(null)
  const harmless = waiting.filter(({ interrupt, request }) => isLowRisk(interrupt, request))
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
      {asked.length > 0 && <LowRiskDialog calls={asked} onClose={() => setOpened(null)} />}
    </div>
  )
}

function LowRiskDialog({ calls, onClose }: { calls: readonly WaitingCall[]; onClose: () => void }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const deciding = useCommand()
  const armed = useArmed(calls.map(({ request }) => request.callId).join())
  async function approve(): Promise<void> {
    const done = await deciding.run(() =>
      Promise.all(
        [...Map.groupBy(calls, ({ interrupt }) => interrupt)].map(([{ threadId, id: interruptId }, of]) =>
          client.approvals.decide({
            projectId,
            threadId,
            interruptId,
            decisions: of.map(({ request }) => ({ type: 'approve', callId: request.callId })),
          }),
        ),
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
      <ul className="flex flex-col gap-3">
        {calls.map(({ interrupt, request }) => (
          <li key={`${interrupt.id}-${request.callId}`} className="flex flex-col gap-1">
            <p className="flex flex-wrap items-center gap-2">
              <AgentMark name={interrupt.agent} />
              <span className="font-medium">
                <VisibleText text={interrupt.agent} />
              </span>
              <span>{labels.wants(request.name, 'approval')}</span>
              <span className="text-muted text-xs">{request.riskReason}</span>
            </p>
            <CallPreview threadId={interrupt.threadId} request={request} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
