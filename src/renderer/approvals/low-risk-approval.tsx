import { CheckCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ActionRequest, Decision } from '#shared/model/interrupt.ts'
import { isHeld } from '#shared/tools/held-choices.ts'
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
import { RunEnd } from './held/held-card.tsx'
import { HeldFiles } from './held/held-files.tsx'
import { HeldOutput } from './held/held-output.tsx'
import { useArmed } from './use-armed.ts'

const labels = strings.approvals
const heldLabels = strings.effects

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
    ({ interrupt, request, decision }) => isLowRisk(interrupt, request) && !changesTheCall(request, decision),
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
        {wordsFor(harmless).button(harmless.length)}
      </Button>
      {asked.length > 0 && (
        <LowRiskDialog calls={asked} leftOut={low.length - valid.length} onClose={() => setOpened(null)} />
      )}
    </div>
  )
}

/** A command with a grant is no longer of low risk, and a held call that runs again or is kept in part is decided alone. */
function changesTheCall(request: ActionRequest, decision: Decision): boolean {
  if (isHeld(request)) return decision.type !== 'approve' || decision.paths !== undefined
  return 'hosts' in decision && decision.hosts !== undefined
}

/** What the button and its dialog say: for calls that ask before, for held ones, and for both together. */
const words = {
  before: {
    button: labels.approveLowRisk,
    title: labels.lowRiskTitle,
    about: labels.lowRiskAbout,
    confirm: labels.lowRiskConfirm,
  },
  held: {
    button: heldLabels.lowRisk,
    title: heldLabels.lowRiskTitle,
    about: heldLabels.lowRiskAbout,
    confirm: heldLabels.lowRiskConfirm,
  },
  both: {
    button: heldLabels.lowRiskMixed,
    title: heldLabels.lowRiskMixedTitle,
    about: heldLabels.lowRiskAbout,
    confirm: heldLabels.lowRiskMixedConfirm,
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

function LowRiskDialog({ calls, leftOut, onClose }: LowRiskDialogProps): ReactNode {
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
              <span>{isHeld(request) ? heldLabels.did(request.name) : labels.wants(request.name, 'approval')}</span>
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
