import { Split } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { AttemptsWish } from '#shared/model/calls/attempts.ts'
import type { Refusal } from '../../state/connection/refusal.ts'
import { strings } from '../../strings/strings.ts'
import { IconButton } from '../../ui/controls/button.tsx'

const TryWaysDialog = lazy(async () => ({ default: (await import('./try-ways-dialog.tsx')).TryWaysDialog }))

const labels = strings.attempts

interface TryWaysButtonProps {
  readonly disabled: boolean
  readonly busy: boolean
  readonly refusal: Refusal | null
  /** Resolves with true when the message was sent. */
  readonly onSend: (wish: AttemptsWish) => Promise<boolean>
}

/** Sends what stands in the message box to several agents at once. */
export function TryWaysButton({ disabled, busy, refusal, onSend }: TryWaysButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton label={labels.try} title={labels.tryHint} disabled={disabled} onClick={() => setOpen(true)}>
        <Split size={15} aria-hidden />
      </IconButton>
      {isOpen && (
        <Suspense>
          <TryWaysDialog
            busy={busy}
            refusal={refusal}
            onStart={(wish) => void onSend(wish).then((isSent) => isSent && setOpen(false))}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
