import { Check, RotateCcw, SkipForward } from 'lucide-react'
import type { ReactNode } from 'react'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { useArmed } from '../use-armed.ts'
import { CallText } from './call-text.tsx'
import { CardChange } from './card-change.tsx'
import { CardFrame } from './card-frame.tsx'
import type { CardProps } from './use-card.ts'

const labels = cardStrings.end

const answers = [
  { type: 'run_again', word: labels.runAgain, hint: labels.runAgainHint, tone: 'plain', Icon: RotateCcw },
  { type: 'mark_done', word: labels.markDone, hint: labels.markDoneHint, tone: 'plain', Icon: Check },
  { type: 'skip', word: labels.skip, hint: labels.skipHint, tone: 'quiet', Icon: SkipForward },
] as const

/** A call that a crash interrupted. Only the person can find out whether it had its effect. */
export function EndCard({ interrupt, request, position, busy, onDecide }: CardProps): ReactNode {
  const ready = useArmed(request.callId) && !busy
  const { callId } = request
  return (
    <CardFrame interrupt={interrupt} request={request} position={position} onKeyDown={() => {}}>
      <CallText request={request} />
      <CardChange interrupt={interrupt} request={request} />
      <div className="flex flex-wrap items-center gap-2">
        {answers.map(({ type, word, hint, tone, Icon }) => (
          <Button
            key={type}
            tone={tone}
            icon={<Icon size={13} aria-hidden />}
            disabled={!ready}
            title={hint}
            onClick={() => onDecide({ type, callId })}
          >
            {word}
          </Button>
        ))}
      </div>
    </CardFrame>
  )
}
