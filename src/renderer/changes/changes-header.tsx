import { Download, HardDriveDownload } from 'lucide-react'
import type { ReactNode } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { LineCounts } from '../ui/line-counts.tsx'

const labels = strings.changes

export interface ChangesHeaderProps {
  readonly changes: readonly FileChange[]
  readonly onOpen: (dialog: 'export' | 'apply') => void
}

/** How much is changed, and the ways out of the workspace: for the selection, or for all when nothing is selected. */
export function ChangesHeader({ changes, onOpen }: ChangesHeaderProps): ReactNode {
  const none = changes.length === 0
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-1.5">
      <h2 className="font-semibold">
        {none ? strings.shell.workspaceClean : strings.shell.workspaceChanged(changes.length)}
      </h2>
      {!none && <LineCounts added={sum(changes, 'added')} removed={sum(changes, 'removed')} />}
      <span className="ml-auto flex flex-wrap items-center gap-2">
        <Button icon={<Download size={14} aria-hidden />} disabled={none} onClick={() => onOpen('export')}>
          {labels.exportPatch}
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
