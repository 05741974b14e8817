import { GitMerge, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useMergeReady } from '../../parts/use-merge-ready.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { AriaElement } from '../../ui/react/elements.tsx'
import { useVirtualRows } from '../../ui/react/use-virtual-rows.ts'
import { BranchRow, rowHeights } from './branch-row.tsx'
import {
  cleanBranches,
  type ListRow,
  mergeableBranches,
  stepInList,
  type WorkItem,
  type WorkState,
} from './work-list.ts'

const labels = strings.branchList

interface BranchListProps {
  readonly rows: readonly ListRow[]
  readonly items: readonly WorkItem[]
  readonly selected: BranchId | null
  /** Arrow keys select a branch. */
  readonly onSelect: (id: BranchId) => void
  /** A click or Enter opens it. */
  readonly onOpen: (id: BranchId) => void
  readonly onFold: (state: WorkState, folded: boolean) => void
}

/** All branches as a list of work, grouped by what they need. */
export function BranchList({ rows, items, selected, onSelect, onOpen, onFold }: BranchListProps): ReactNode {
  const [checked, setChecked] = useState<ReadonlySet<BranchId>>(new Set())
  const [at, setAt] = useState<string | null>(null)
  const keys = rows.map(keyOf)
  const chosen = keys.indexOf(selected ?? '')
  const reached = Math.max(at === null ? chosen : keys.indexOf(at), 0)
  const { list, box, focusRow, rangeChanged, stop } = useVirtualRows(reached)

  useEffect(() => {
    setAt(null)
    if (chosen >= 0) list.current?.scrollIntoView({ index: chosen })
  }, [chosen, list])

  function check({ id }: Branch): void {
    setChecked((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    )
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const index = Number((event.target as HTMLElement).dataset.row ?? Number.NaN)
    const row = rows[index]
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    const step = stepInList(event.key, index, rows)
    if (step?.kind === 'fold' && row.kind === 'group') onFold(row.state, step.folded)
    else if (step?.kind === 'go') goTo(step.index)
    else if (event.key === 'Enter' || event.key === ' ') {
      if (row.kind === 'group') onFold(row.state, !row.folded)
      else onOpen(branchOf(row).id)
    } else if (event.key === 'x' && row.kind === 'branch') check(row.item.branch)
    else return
    event.preventDefault()
  }
  function goTo(index: number): void {
    const row = rows[index]
    if (!row) return
    setAt(keyOf(row))
    if (row.kind !== 'group') onSelect(branchOf(row).id)
    focusRow(index)
  }
  return (
    <div className="flex h-full min-h-0 flex-col bg-canvas">
      <MergeBar items={items} checked={checked} onClear={() => setChecked(new Set())} />
      <AriaElement
        ref={box}
        role="tree"
        aria-label={strings.branches.tree}
        aria-multiselectable
        tabIndex={stop.tabIndex}
        onFocus={stop.onFocus}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1"
      >
        <Virtuoso
          ref={list}
          role="group"
          tabIndex={-1}
          className="h-full"
          data={rows}
          rangeChanged={rangeChanged}
          computeItemKey={(_, row) => keyOf(row)}
          defaultItemHeight={rowHeights.branch}
          increaseViewportBy={300}
          itemContent={(index, row) => (
            <BranchRow
              row={row}
              index={index}
              reached={index === reached}
              selected={row.kind !== 'group' && branchOf(row).id === selected}
              checked={row.kind === 'branch' && checked.has(row.item.branch.id)}
              onSelect={({ id }) => onOpen(id)}
              onFold={onFold}
              onCheck={check}
            />
          )}
        />
      </AriaElement>
    </div>
  )
}

function branchOf(row: Exclude<ListRow, { kind: 'group' }>): Branch {
  return row.kind === 'workspace' ? row.branch : row.item.branch
}

function keyOf(row: ListRow): string {
  return row.kind === 'group' ? `group ${row.state}` : branchOf(row).id
}

interface MergeBarProps {
  readonly items: readonly WorkItem[]
  readonly checked: ReadonlySet<BranchId>
  readonly onClear: () => void
}

/** Merges several branches at once: the chosen ones, or all that need no decision. Absent while there is nothing to do. */
function MergeBar({ items, checked, onClear }: MergeBarProps): ReactNode {
  const { command, merge } = useMergeReady()
  const clean = cleanBranches(items)
  const chosen = mergeableBranches(items, checked)
  if (checked.size === 0 && clean.length < 2 && !command.refusal) return null
  async function mergeChosen(): Promise<void> {
    if (await merge(chosen)) onClear()
  }
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b bg-panel px-2 py-1">
      {checked.size > 0 ? (
        <>
          <Button
            icon={<GitMerge size={14} aria-hidden />}
            disabled={command.busy || chosen.length === 0}
            title={chosen.length < checked.size ? labels.notFinished(checked.size - chosen.length) : undefined}
            onClick={() => void mergeChosen()}
          >
            {labels.mergeChosen(chosen.length)}
          </Button>
          <IconButton label={labels.clear} onClick={onClear}>
            <X size={14} aria-hidden />
          </IconButton>
        </>
      ) : (
        clean.length > 1 && (
          <Button
            icon={<GitMerge size={14} aria-hidden />}
            disabled={command.busy}
            title={labels.mergeHint}
            onClick={() => void merge(clean)}
          >
            {labels.mergeClean(clean.length)}
          </Button>
        )
      )}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </div>
  )
}
