import { ListChecks } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { CheckProposal } from '#shared/contract/checks.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { checkDetails } from '../strings/later/check-details.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { ProposalForm } from './proposal-form.tsx'
import { useAcceptChecks } from './use-accept-checks.ts'

const labels = checkDetails.card

interface ChecksCardProps {
  readonly proposals: readonly CheckProposal[]
  readonly onNotNow: () => void
  /** Called when an answer is stored. */
  readonly onDone: () => void
}

/** Proposes checks that the project's files call for. Nothing runs before the answer. */
export function ChecksCard({ proposals, onNotNow, onDone }: ChecksCardProps): ReactNode {
  const { command, accept } = useAcceptChecks(onDone)
  const [editing, setEditing] = useState(false)
  return (
    <section aria-label={labels.title} className="border-line border-b bg-panel px-3 py-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <ListChecks size={15} aria-hidden className="shrink-0 text-muted" />
        <h2 className="shrink-0 font-semibold">{labels.title}</h2>
        <p title={labels.about} className="min-w-40 flex-1 text-muted [overflow-wrap:anywhere] max-md:basis-full">
          {proposals.map(({ name, run, source }) => (
            <span key={name} className="mr-3 inline-block">
              <code className="text-text">
                <VisibleText text={run} />
              </code>{' '}
              <VisibleText text={labels.from(source)} />
            </span>
          ))}
        </p>
        <span className="ml-auto flex flex-wrap gap-2">
          <Button tone="quiet" disabled={command.busy} onClick={() => void accept([])}>
            {labels.never}
          </Button>
          <Button onClick={onNotNow}>{labels.notNow}</Button>
          <Button aria-expanded={editing} onClick={() => setEditing(!editing)}>
            {labels.edit}
          </Button>
          {!editing && (
            <Button tone="primary" disabled={command.busy} onClick={() => void accept(proposals)}>
              {labels.use(proposals.length)}
            </Button>
          )}
        </span>
      </div>
      {editing && (
        <div className="max-h-[60vh] max-w-2xl overflow-auto py-2">
          <ProposalForm proposals={proposals} busy={command.busy} onAccept={(checks) => void accept(checks)} />
        </div>
      )}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </section>
  )
}
