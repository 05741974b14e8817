import { Check, RotateCcw, SkipForward } from 'lucide-react'
import type { ReactNode } from 'react'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import type { CardProps } from './approval-card.tsx'
import { CallPreview } from './call-preview.tsx'
import { CardFrame } from './card-frame.tsx'
import { useArmed } from './use-armed.ts'

const labels = strings.approvals.outcome

/** A call that a crash cut off: only the person can find out whether it had its effect. */
export function OutcomeCard({ interrupt, request, position, busy, onDecide }: CardProps): ReactNode {
  const ready = useArmed(request.callId) && !busy
  const { callId } = request
  return (
    <CardFrame interrupt={interrupt} request={request} position={position} onKeyDown={() => {}}>
      <CallPreview threadId={interrupt.threadId} request={request} />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          icon={<RotateCcw size={13} aria-hidden />}
          disabled={!ready}
          title={labels.runAgainHint}
          onClick={() => onDecide({ type: 'run_again', callId })}
        >
          {labels.runAgain}
        </Button>
        <Button
          icon={<Check size={14} aria-hidden />}
          disabled={!ready}
          title={labels.markDoneHint}
          onClick={() => onDecide({ type: 'mark_done', callId })}
        >
          {labels.markDone}
        </Button>
        <Button
          tone="quiet"
          icon={<SkipForward size={13} aria-hidden />}
          disabled={!ready}
          title={labels.skipHint}
          onClick={() => onDecide({ type: 'skip', callId })}
        >
          {labels.skip}
        </Button>
      </div>
    </CardFrame>
  )
}
