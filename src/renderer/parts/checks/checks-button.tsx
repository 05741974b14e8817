import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useChecksOf } from '../../state/hooks/use-checks.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { CheckMark } from './check-mark.tsx'

/** Most visits never look at an output, so the dialog is fetched when it is needed. */
export const ChecksDialog = lazy(async () => ({ default: (await import('./checks-dialog.tsx')).ChecksDialog }))

const labels = strings.checks

interface ChecksButtonProps {
  readonly branchId: BranchId
  readonly name: string
  /** Shows the word *Output* instead of the state, where that stands beside it. */
  readonly plain?: boolean
}

/** How the checks of a branch stand. Opens their output. Nothing when the project has no checks. */
export function ChecksButton({ branchId, name, plain = false }: ChecksButtonProps): ReactNode {
  const checks = useChecksOf(branchId)
  const [open, setOpen] = useState(false)
  if (!checks) return null
  return (
    <>
      <Button
        tone="quiet"
        className="px-1.5!"
        title={`${labels.of(name)}: ${checks.checks.map((check) => `${check.name} ${labels.states[check.state].toLowerCase()}`).join(', ')}`}
        onClick={() => setOpen(true)}
      >
        {plain ? labels.openLabel : <CheckMark state={checks.state} whole />}
      </Button>
      {open && (
        <Suspense>
          <ChecksDialog branchId={branchId} name={name} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
