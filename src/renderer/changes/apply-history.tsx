import { HardDriveDownload } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { formatTime } from '../ui/format.ts'
import { toastNote } from '../ui/undo-toast.ts'

const labels = strings.changes

/** The last apply to disk, for as long as it can be taken back. */
export function ApplyHistory({ branchId }: { branchId: BranchId }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const undoing = useCommand()
  const last = useApp((state) => state.timeline.applies.findLast((applied) => applied.branchId === branchId))
  if (!last) return null
  async function undo(sequence: number): Promise<void> {
    const done = await undoing.run(() => client.changes.undoApply({ projectId, branchId, sequence }))
    if (done) toastNote(labels.applyUndone)
  }
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b bg-panel px-3 py-1">
      <HardDriveDownload size={14} aria-hidden className="text-muted" />
      <span>
        {labels.applied(last.paths)} <span className="text-muted">{formatTime(last.at)}</span>
      </span>
      <Button tone="quiet" disabled={undoing.busy} onClick={() => void undo(last.sequence)}>
        {labels.undoApply}
      </Button>
      {undoing.refusal && <RefusalNotice refusal={undoing.refusal} />}
    </div>
  )
}
