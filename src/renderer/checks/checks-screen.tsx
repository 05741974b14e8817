import { ListChecks } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ChecksView } from '#shared/contract/checks.ts'
import type { CheckDefinition } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { ChecksButton } from '../parts/checks/checks-button.tsx'
import { RunChecks } from '../parts/checks/run-checks.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { useChecks, useChecksOf } from '../state/hooks/use-checks.ts'
import { workspaceOf } from '../state/store/selectors.ts'
import { checkDetails } from '../strings/later/check-details.ts'
import { strings } from '../strings/strings.ts'
import { Empty, Notice } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { ProposalForm } from './proposal-form.tsx'
import { useAcceptChecks } from './use-accept-checks.ts'

const labels = checkDetails.settings

/** The checks of the open project in the settings: what is set, what is wrong with it, and what is proposed. */
export function ChecksScreen(): ReactNode {
  const isOpen = useApp((state) => state.projectInfo !== null)
  const [view, reload] = useChecks()
  if (!isOpen) return <Empty title={labels.noProject} detail={labels.noProjectDetail} />
  if (view === null) return <p className="text-muted">{strings.common.loading}</p>
  return <ChecksPanel view={view} reload={reload} />
}

function ChecksPanel({ view, reload }: { view: ChecksView; reload: () => void }): ReactNode {
  const { checks, problems, proposals } = view
  return (
    <>
      <p className="text-muted">{labels.about}</p>
      {problems.length > 0 && <Notice tone="warning" title={labels.problems} detail={problems.join('\n')} />}
      {checks.length === 0 ? (
        proposals.length === 0 && (
          <Empty icon={<ListChecks size={24} aria-hidden />} title={labels.none} detail={labels.noneDetail} />
        )
      ) : (
        <>
          <WorkspaceChecks />
          <ul aria-label={strings.checks.title} className="divide-y divide-line rounded-lg border border-line">
            {checks.map((check) => (
              <CheckLine key={check.name} check={check} />
            ))}
          </ul>
        </>
      )}
      {proposals.length > 0 && <Proposals key={JSON.stringify(proposals)} view={view} reload={reload} />}
    </>
  )
}

function Proposals({ view: { proposals }, reload }: { view: ChecksView; reload: () => void }): ReactNode {
  const { command, accept } = useAcceptChecks(reload)
  return (
    <section aria-label={labels.proposed} className="flex flex-col gap-2">
      <h3 className="font-semibold">{labels.proposed}</h3>
      <ProposalForm proposals={proposals} busy={command.busy} onAccept={(checks) => void accept(checks)} />
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </section>
  )
}

/** How the checks stand in the workspace of the open thread, and the press to run all of them. */
function WorkspaceChecks(): ReactNode {
  const branchId = useApp(workspaceOf)
  if (!branchId) return <p className="text-muted">{labels.noWorkspace}</p>
  return <StandingOf branchId={branchId} />
}

function StandingOf({ branchId }: { branchId: BranchId }): ReactNode {
  const checks = useChecksOf(branchId)
  if (!checks) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p>{labels.workspace}</p>
      <span className="mr-auto">
        <ChecksButton branchId={branchId} name={strings.branches.workspace} />
      </span>
      <RunChecks checks={checks} />
    </div>
  )
}

function CheckLine({ check }: { check: CheckDefinition }): ReactNode {
  const { name, run, on, paths, timeoutSeconds, required } = check
  const facts = [
    required ? strings.checks.required : strings.checks.optional,
    on.map((moment) => labels.when[moment]).join(', '),
    ...(paths.length > 0 ? [labels.paths(paths)] : []),
    labels.timeout(timeoutSeconds),
  ]
  return (
    <li className="flex flex-col gap-0.5 px-3 py-2">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">
          <VisibleText text={name} />
        </span>
        <code className="min-w-0 whitespace-pre-wrap text-xs [overflow-wrap:anywhere]">
          <VisibleText text={run} />
        </code>
      </p>
      <p className="text-muted text-xs [overflow-wrap:anywhere]">
        <VisibleText text={facts.filter(Boolean).join(' · ')} />
      </p>
    </li>
  )
}
