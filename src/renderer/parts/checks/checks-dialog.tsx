import { type ReactNode, useState } from 'react'
import type { BranchChecks, CheckView } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { formatDate } from '#shared/text/format.ts'
import { useProjectId } from '../../state/hooks/hooks.tsx'
import { useChecksOf } from '../../state/hooks/use-checks.ts'
import { useQuery } from '../../state/hooks/use-query.ts'
import { checkDetails } from '../../strings/later/check-details.ts'
import { strings } from '../../strings/strings.ts'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { RefusalNotice } from '../refusal-notice.tsx'
import { Waiting } from '../waiting.tsx'
import { BisectPanel } from './bisect/bisect-panel.tsx'
import { CheckMark } from './check-mark.tsx'
import { CheckResultView } from './check-result.tsx'
import { firstToShow } from './check-words.ts'
import { NeededPanel } from './needed/needed-panel.tsx'
import { RunChecks } from './run-checks.tsx'

const labels = strings.checks

interface ChecksDialogProps {
  readonly branchId: BranchId
  readonly name: string
  readonly onClose: () => void
}

/** The checks of a branch, each with what it printed last, and the presses to run them. Stays up to date. */
export function ChecksDialog({ branchId, name, onClose }: ChecksDialogProps): ReactNode {
  const checks = useChecksOf(branchId)
  return (
    <Dialog
      wide
      title={labels.of(name)}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={checks && <RunChecks checks={checks} />}
    >
      {checks ? <Body branchId={branchId} checks={checks} /> : <Waiting label={strings.common.loading} />}
    </Dialog>
  )
}

function Body({ branchId, checks: { checks } }: { branchId: BranchId; checks: BranchChecks }): ReactNode {
  const [chosen, setChosen] = useState(() => firstToShow(checks))
  const shown = checks.find(({ name }) => name === chosen) ?? checks[0]
  if (!shown) return null
  return (
    <div className="grid gap-4 md:grid-cols-[14rem_minmax(0,1fr)]">
      <ul aria-label={labels.title} className="flex max-h-[30vh] flex-col gap-0.5 overflow-auto md:max-h-none">
        {checks.map((check) => (
          <li key={check.name}>
            <button
              type="button"
              aria-pressed={check === shown}
              title={labels.hints[check.state]}
              onClick={() => setChosen(check.name)}
              className={classNames(
                'flex min-h-8 w-full items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover',
                check === shown && 'bg-accent-soft',
              )}
            >
              <span className="min-w-0 flex-1">
                <span className="block truncate">
                  <VisibleText text={check.name} />
                </span>
                {!check.required && <span className="block text-muted text-xs">{labels.optional}</span>}
              </span>
              <CheckMark state={check.state} />
            </button>
          </li>
        ))}
      </ul>
      <div className="flex min-w-0 flex-col gap-3">
        <Output key={shown.name} check={shown} />
        <BisectPanel
          key={`search ${shown.name}`}
          branchId={branchId}
          check={shown.name}
          isRed={shown.state === 'red' || shown.state === 'flaky'}
        />
        <NeededPanel
          key={`needed ${shown.name}`}
          branchId={branchId}
          check={shown.name}
          isGreen={shown.state === 'green'}
        />
      </div>
    </div>
  )
}

function Output({ check: { state, last } }: { check: CheckView }): ReactNode {
  const projectId = useProjectId()
  const [result, reload] = useQuery('checks.result', last && { projectId, sequence: last.sequence })
  const isNow = state !== 'stale' && state !== 'running' && state !== 'queued'
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {!(isNow && last) && (
        <p className="text-muted">{last && state === 'stale' ? checkDetails.result.staleNote : labels.hints[state]}</p>
      )}
      {result.state === 'failed' && <RefusalNotice refusal={result.refusal} onRetry={reload} />}
      {result.state === 'loading' && !result.value && <Waiting label={strings.common.loading} />}
      {result.value && last && <CheckResultView result={result.value} at={formatDate(last.at)} />}
    </div>
  )
}
