import { Download, HardDriveDownload, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { LineCounts } from '../ui/line-counts.tsx'
import { useChangeActs } from './use-change-acts.ts'

const words = strings.changes

export interface ChangesHeaderProps {
  /** Null where there is nothing to act on. */
  readonly branchId: BranchId | null
  readonly changes: readonly FileChange[]
  readonly selected: readonly VirtualPath[]
  readonly onClear: () => void
  readonly onOpen: (dialog: 'export' | 'apply') => void
}

/** What is changed or selected, and what can be done with it: with the selection, or with all when nothing is. */
export function ChangesHeader({ branchId, changes, selected, onClear, onOpen }: ChangesHeaderProps): ReactNode {
  const none = branchId === null
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-1.5">
      <h2 className="font-semibold">
        {none ? strings.shell.workspaceClean : strings.shell.workspaceChanged(changes.length)}
      </h2>
      {!none && <LineCounts added={sum(changes, 'added')} removed={sum(changes, 'removed')} />}
      <span className="ml-auto flex flex-wrap items-center gap-2">
        {branchId && selected.length > 0 && <SelectionActs branchId={branchId} selected={selected} onClear={onClear} />}
        <Button icon={<Download size={14} aria-hidden />} disabled={none} onClick={() => onOpen('export')}>
          {words.exportPatch}
        </Button>
        <Button
          tone="primary"
          icon={<HardDriveDownload size={14} aria-hidden />}
          disabled={none}
          onClick={() => onOpen('apply')}
        >
          {words.apply}
        </Button>
      </span>
    </header>
  )
}

interface SelectionActsProps {
  readonly branchId: BranchId
  readonly selected: readonly VirtualPath[]
  readonly onClear: () => void
}

function SelectionActs({ branchId, selected, onClear }: SelectionActsProps): ReactNode {
  const { command, revert } = useChangeActs(branchId)
  return (
    <>
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      <span className="text-muted">{words.selected(selected.length)}</span>
      <Button tone="quiet" onClick={onClear}>
        {words.clearSelection}
      </Button>
      <Button
        tone="danger"
        icon={<Undo2 size={14} aria-hidden />}
        disabled={command.busy}
        onClick={() => void revert(selected)}
      >
        {words.revertSelected}
      </Button>
    </>
  )
}

function sum(changes: readonly FileChange[], side: 'added' | 'removed'): number {
  return changes.reduce((total, change) => total + (change[side] ?? 0), 0)
}
