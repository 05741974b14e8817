import { Play, RotateCw, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BranchChecks } from '#shared/model/check.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { RefusalNotice } from '../refusal-notice.tsx'
import { isWorking } from './check-words.ts'
import { useCheckActions } from './use-check-actions.ts'

const labels = strings.checks

/** *Run checks*, *Run again* or *Cancel*, whichever makes sense now. */
export function RunChecks({ checks }: { checks: BranchChecks }): ReactNode {
  const { command, run, cancel } = useCheckActions(checks.branchId)
  const isMissing = checks.checks.some(({ state }) => state === 'none' || state === 'stale')
  return (
    <>
      {command.refusal && (
        <div className="min-w-0 flex-1">
          <RefusalNotice refusal={command.refusal} />
        </div>
      )}
      {isWorking(checks) ? (
        <Button icon={<Square size={13} aria-hidden />} disabled={command.busy} onClick={cancel}>
          {labels.cancel}
        </Button>
      ) : isMissing ? (
        <Button icon={<Play size={13} aria-hidden />} disabled={command.busy} onClick={() => run(false)}>
          {labels.run}
        </Button>
      ) : (
        <Button
          icon={<RotateCw size={13} aria-hidden />}
          title={labels.runAgainHint}
          disabled={command.busy}
          onClick={() => run(true)}
        >
          {labels.runAgain}
        </Button>
      )}
    </>
  )
}
