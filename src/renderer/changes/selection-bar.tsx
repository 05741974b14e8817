import { Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { selectionOf, toggleAll } from './change-tree.ts'
import { useChangeActions } from './use-change-actions.ts'

const labels = strings.changes

interface SelectionBarProps {
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
  readonly selection: ReadonlySet<VirtualPath>
  readonly onSelect: (selection: ReadonlySet<VirtualPath>) => void
}

/** Selects all files or none, and reverts the selected ones. Always shown, so that no row moves under the pointer. */
export function SelectionBar({ branchId, changes, selection, onSelect }: SelectionBarProps): ReactNode {
  const { command, revert } = useChangeActions(branchId)
  const files = changes.map(({ path }) => path)
  const selected = files.filter((path) => selection.has(path))
  const state = selectionOf(files, selection)
  return (
    <div className="border-line border-b bg-panel">
      <div className="flex min-h-9 items-center gap-2 px-3">
        <label className="flex min-h-6 items-center gap-2 text-muted">
          <input
            type="checkbox"
            checked={state === 'all'}
            ref={(box) => {
              if (box) box.indeterminate = state === 'some'
            }}
            onChange={() => onSelect(toggleAll(files, selection))}
            className="size-4 accent-accent-solid"
          />
          <span className={selected.length > 0 ? 'sr-only' : undefined}>{labels.selectAll}</span>
        </label>
        {selected.length > 0 && (
          <>
            <span role="status" className="flex-1">
              {labels.selected(selected.length)}
            </span>
            <Button
              tone="danger"
              icon={<Undo2 size={14} aria-hidden />}
              disabled={command.busy}
              onClick={() => void revert(selected)}
            >
              {labels.revertSelected}
            </Button>
          </>
        )}
      </div>
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </div>
  )
}
