import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BranchChecks } from '#shared/model/check.ts'
import { CheckMark } from '../parts/checks/check-mark.tsx'
import { isWorking } from '../parts/checks/check-words.ts'
import { ChecksButton } from '../parts/checks/checks-button.tsx'
import { useCheckActions } from '../parts/checks/use-check-actions.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { checkDetails } from '../strings/later/check-details.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = checkDetails.leaving

interface LeavingChecksProps {
  /** Null when the project has no checks. */
  readonly checks: BranchChecks | null
  /** True when all changes of the workspace are chosen, as the checks saw them. */
  readonly isWhole: boolean
}

/** Says which checks are green on exactly the files that are about to leave the workspace, and offers to run them. */
export function LeavingChecks({ checks, isWhole }: LeavingChecksProps): ReactNode {
  if (!checks) return null
  return (
    <section aria-label={labels.title} className="rounded-md border border-line px-3 py-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium">{labels.title}</h3>
        <ul className="flex min-w-0 flex-1 flex-wrap gap-x-3 gap-y-0.5">
          {checks.checks.map(({ name, state }) => (
            <li key={name} title={strings.checks.hints[state]} className="flex min-w-0 items-center gap-1.5">
              <span className="truncate">
                <VisibleText text={name} />
              </span>
              <CheckMark state={state} />
            </li>
          ))}
        </ul>
        <ChecksButton branchId={checks.branchId} name={strings.branches.workspace} plain />
        {isWhole && <RunFirst checks={checks} />}
      </div>
      {!isWhole && <p className="text-muted text-xs">{labels.some}</p>}
    </section>
  )
}

function RunFirst({ checks }: { checks: BranchChecks }): ReactNode {
  const { command, runNamed } = useCheckActions(checks.branchId)
  const missing = checks.checks.filter(({ state }) => state === 'none' || state === 'stale').map(({ name }) => name)
  if (command.refusal) return <RefusalNotice refusal={command.refusal} />
  if (missing.length === 0 || isWorking(checks)) return null
  return (
    <Button icon={<Play size={13} aria-hidden />} disabled={command.busy} onClick={() => runNamed(missing)}>
      {labels.runFirst}
    </Button>
  )
}
