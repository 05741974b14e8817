import { Check, RotateCcw, SkipForward } from 'lucide-react'
import type { ReactNode } from 'react'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { useArmed } from '../use-armed.ts'
import { CallText } from './call-text.tsx'
import { CardChange } from './card-change.tsx'
import { CardFrame } from './card-frame.tsx'
import type { CardProps } from './use-card.ts'

const labels = cardStrings.outcome

/** A call that a crash interrupted. Only the person can find out whether it had its effect. */
export function OutcomeCard({ interrupt, request, position, busy, onDecide }: CardProps): ReactNode {
  const ready = useArmed(request.callId) && !busy
  const { callId } = request
  return (
    <CardFrame interrupt={interrupt} request={request} position={position} onKeyDown={() => {}}>
      <CallText request={request} />
      <CardChange interrupt={interrupt} request={request} />
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
