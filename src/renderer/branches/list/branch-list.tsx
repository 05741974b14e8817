import { type KeyboardEvent, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchChecks } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { ChecksDialog } from '../../parts/checks/checks-button.tsx'
import { strings } from '../../strings/strings.ts'
import { AriaElement } from '../../ui/react/elements.tsx'
import { useStable } from '../../ui/react/use-stable.ts'
import { useVirtualRows } from '../../ui/react/use-virtual-rows.ts'
import { BranchRow, rowHeights } from './branch-row.tsx'
import { MergeBar } from './merge-bar.tsx'
import { type ListRow, stepInList, type WorkItem, type WorkState } from './work-list.ts'

interface BranchListProps {
  readonly rows: readonly ListRow[]
  readonly items: readonly WorkItem[]
  /** Empty when the project has no checks. */
  readonly checks: ReadonlyMap<BranchId, BranchChecks>
  readonly selected: BranchId | null
  /** Arrow keys select a branch. */
  readonly onSelect: (id: BranchId) => void
  /** A click or Enter opens it. */
  readonly onOpen: (id: BranchId) => void
  readonly onFold: (state: WorkState, folded: boolean) => void
}

/** All branches as a list of work, grouped by what they need. */
export function BranchList({ rows, items, checks, selected, onSelect, onOpen, onFold }: BranchListProps): ReactNode {
  const [checked, setChecked] = useState<ReadonlySet<BranchId>>(new Set())
  const [at, setAt] = useState<string | null>(null)
  const [asked, setAsked] = useState<Branch | null>(null)
  const keys = rows.map(keyOf)
  const chosen = keys.indexOf(selected ?? '')
  const reached = Math.max(at === null ? chosen : keys.indexOf(at), 0)
  const { list, box, focusRow, rangeChanged, stop } = useVirtualRows(reached)

  useEffect(() => {
    setAt(null)
    if (chosen >= 0) list.current?.scrollIntoView({ index: chosen })
  }, [chosen, list])

  const check = useStable(({ id }: Branch): void =>
    setChecked((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    ),
  )
  const open = useStable(({ id }: Branch): void => onOpen(id))
  const fold = useStable(onFold)
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
    else if (event.key === 'o' && row.kind !== 'group' && checks.has(branchOf(row).id)) setAsked(branchOf(row))
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
      <MergeBar items={items} hasChecks={checks.size > 0} checked={checked} onClear={() => setChecked(new Set())} />
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
              checks={row.kind === 'group' ? null : (checks.get(branchOf(row).id)?.state ?? null)}
              onSelect={open}
              onFold={fold}
              onCheck={check}
            />
          )}
        />
      </AriaElement>
      {asked && (
        <Suspense>
          <ChecksDialog
            branchId={asked.id}
            name={asked.parentId === null ? strings.branches.workspace : asked.name}
            onClose={() => setAsked(null)}
          />
        </Suspense>
      )}
    </div>
  )
}

function branchOf(row: Exclude<ListRow, { kind: 'group' }>): Branch {
  return row.kind === 'workspace' ? row.branch : row.item.branch
}

function keyOf(row: ListRow): string {
  return row.kind === 'group' ? `group ${row.state}` : branchOf(row).id
}
