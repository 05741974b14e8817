import { GitBranch } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { formatTime } from '#shared/text/format.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useOpenLink } from '../../parts/use-open-link.ts'
import { useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { deliveryStrings as labels } from '../../strings/later/delivery.ts'
import { Button } from '../../ui/controls/button.tsx'
import { toastNote } from '../../ui/controls/toast.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

/** The last delivery of the workspace, its pull request and its undo. */
export function DeliveryHistory({ branchId }: { readonly branchId: BranchId }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const undoing = useCommand()
  const openLink = useOpenLink()
  const last = useApp((state) =>
    state.history.findLast((item) => item.kind === 'deliver' && item.branchId === branchId && !item.undone),
  )
  if (last?.kind !== 'deliver') return null
  const { pullRequest, sequence } = last
  async function undo(): Promise<void> {
    const done = await undoing.run(() => client.deliveries.undo({ projectId, branchId, sequence }))
    if (done) toastNote(labels.undone)
  }
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b bg-panel px-3 py-1">
      <GitBranch size={14} aria-hidden className="text-muted" />
      <span className="[overflow-wrap:anywhere]">
        <VisibleText text={labels.last(last.branch)} /> <span className="text-muted">{formatTime(last.at)}</span>
      </span>
      {pullRequest !== null && (
        <Button tone="quiet" onClick={() => openLink(pullRequest)}>
          <VisibleText text={pullRequest} />
        </Button>
      )}
      <Button tone="quiet" disabled={undoing.busy} onClick={() => void undo()}>
        {labels.undo}
      </Button>
      {undoing.refusal && <RefusalNotice refusal={undoing.refusal} />}
    </div>
  )
}
