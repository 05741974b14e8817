import type { ReactNode } from 'react'
import type { Decision } from '#shared/model/interrupt.ts'
import { isHeld } from '#shared/tools/held-choices.ts'
import { AgentMark } from '../../parts/agent-mark.tsx'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useClient, useCommand, useProjectId, useSession } from '../../state/hooks/hooks.tsx'
import { answerKey, forgetAnswers } from '../../state/store/answers.ts'
import type { WaitingCall } from '../../state/store/selectors.ts'
import { effectDetails as details } from '../../strings/later/effect-details.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { CallPreview, EditedPreview } from '../call-preview.tsx'
import { useArmed } from '../use-armed.ts'
import { RunEnd } from './held-card.tsx'
import { HeldFiles } from './held-files.tsx'
import { HeldOutput } from './held-output.tsx'

const labels = strings.approvals

/** A call as its card shows it, with the decision that approves it. */
export interface ShownCall extends WaitingCall {
  readonly decision: Decision
  /** Whether the person changed its arguments. */
  readonly edited: boolean
}

/** What the dialog says: for calls that ask before, for held ones, and for both together. */
const words = {
  before: {
    title: labels.lowRiskTitle,
    about: labels.lowRiskAbout,
    confirm: labels.lowRiskConfirm,
  },
  held: {
    title: details.lowRiskTitle,
    about: details.lowRiskAbout,
    confirm: details.lowRiskConfirm,
  },
  both: {
    title: details.lowRiskMixedTitle,
    about: details.lowRiskAbout,
    confirm: details.lowRiskMixedConfirm,
  },
} as const

function wordsFor(calls: readonly ShownCall[]): (typeof words)[keyof typeof words] {
  const held = calls.filter(({ request }) => isHeld(request)).length
  return held === 0 ? words.before : held === calls.length ? words.held : words.both
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
  const said = wordsFor(calls)
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
      title={said.title(calls.length)}
      description={said.about}
      closeLabel={strings.common.cancel}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button tone="primary" disabled={!armed || deciding.busy} onClick={() => void approve()}>
            {said.confirm(calls.length)}
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
              <span>
                {isHeld(request) ? strings.effects.did(request.name) : labels.wants(request.name, 'approval')}
              </span>
              {isHeld(request) ? (
                <RunEnd {...request.effects} />
              ) : (
                <span className="text-muted text-xs">{edited ? labels.editedByYou : request.riskReason}</span>
              )}
            </p>
            {edited || isHeld(request) ? (
              <EditedPreview request={request} />
            ) : (
              <CallPreview threadId={interrupt.threadId} request={request} />
            )}
            {isHeld(request) && (
              <>
                <HeldOutput effects={request.effects} />
                <HeldFiles interrupt={interrupt} request={request} kept={null} onKeep={() => undefined} />
              </>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
