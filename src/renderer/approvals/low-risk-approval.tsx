import { CheckCheck } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { ActionRequest, Decision } from '#shared/model/calls/interrupt.ts'
import { wasTried } from '#shared/tools/card.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { type Answers, answerKey } from '../state/store/answers.ts'
import type { WaitingCall } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { isLowRisk, kindOfAll, shownApproval } from './approval-logic.ts'
import type { ShownCall } from './low-risk-dialog.tsx'

const LowRiskDialog = lazy(async () => ({ default: (await import('./low-risk-dialog.tsx')).LowRiskDialog }))

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
        {strings.approvals.lowRisk[kindOfAll(harmless.map(({ request }) => request))](harmless.length)}
      </Button>
      {asked.length > 0 && (
        <Suspense>
          <LowRiskDialog calls={asked} leftOut={low.length - valid.length} onClose={() => setOpened(null)} />
        </Suspense>
      )}
    </div>
  )
}

/** A command with a grant is no longer of low risk, and a tried call that runs again or is kept in part is decided alone. */
function changesTheCall(request: ActionRequest, decision: Decision): boolean {
  if (wasTried(request)) return decision.type !== 'approve' || decision.paths !== undefined
  return 'hosts' in decision && decision.hosts !== undefined
}
