import { Download, GitBranchPlus, HardDriveDownload } from 'lucide-react'
import type { ReactNode } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { formatTime } from '#shared/text/format.ts'
import { BranchFolder } from '../parts/checkouts/branch-folder.tsx'
import { ChecksButton } from '../parts/checks/checks-button.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import type { ChangesDialog } from '../state/store/ui-state.ts'
import { deliveryStrings } from '../strings/later/delivery.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { LineCounts } from '../ui/diff/diff-parts.tsx'

const labels = strings.changes

interface ChangesHeaderProps {
  /** Null before there is a workspace. */
  readonly branchId: BranchId | null
  readonly changes: readonly FileChange[]
  readonly onOpen: (dialog: ChangesDialog) => void
}

/**
 * The size of the changes, and the ways out of the workspace: for the selected files, or for all if none is selected.
 */
export function ChangesHeader({ branchId, changes, onOpen }: ChangesHeaderProps): ReactNode {
  const none = changes.length === 0
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-1.5">
      <h2 className="font-semibold">
        {none ? strings.shell.workspaceClean : strings.shell.workspaceChanged(changes.length)}
      </h2>
      {!none && <LineCounts added={sum(changes, 'added')} removed={sum(changes, 'removed')} />}
      {branchId && <ChecksButton branchId={branchId} name={strings.branches.workspace} />}
      <span className="ml-auto flex flex-wrap items-center gap-2">
        {branchId && <BranchFolder branchId={branchId} name={strings.branches.workspace} />}
        <Button icon={<Download size={14} aria-hidden />} disabled={none} onClick={() => onOpen('export')}>
          {labels.exportPatch}
        </Button>
        <Button icon={<GitBranchPlus size={14} aria-hidden />} disabled={none} onClick={() => onOpen('deliver')}>
          {deliveryStrings.title}
        </Button>
        <Button
          tone="primary"
          icon={<HardDriveDownload size={14} aria-hidden />}
          disabled={none}
          onClick={() => onOpen('apply')}
        >
          {labels.apply}
        </Button>
      </span>
    </header>
  )
}

function sum(changes: readonly FileChange[], side: 'added' | 'removed'): number {
  return changes.reduce((total, change) => total + (change[side] ?? 0), 0)
}

/** The last apply to disk and its undo, for as long as it can be undone. */
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
