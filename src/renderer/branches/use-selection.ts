import { useEffect, useRef, useState } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { type ListRow, nextToMerge, type WorkItem, waitsForMerge } from './list/work-list.ts'

/** The branch to show: the person's choice, or else the first of the list. That one stays until the person chooses. */
export function useSelection(
  choice: BranchId | null,
  rows: readonly ListRow[],
  branches: readonly Branch[],
): Branch | null {
  const held = useRef<BranchId | null>(null)
  const known = (id: BranchId | null): Branch | undefined => branches.find((branch) => branch.id === id)
  const first = rows.find((row) => row.kind === 'branch')
  const found = known(choice) ?? known(held.current) ?? (first?.kind === 'branch' ? first.item.branch : branches[0])
  // Before the first branch is there and the branches were compared, the first row is shown, but not held: it may not
  // be the one that needs the person.
  const isCompared = rows.some((row) => row.kind === 'branch' && row.item.survey !== undefined)
  held.current = found?.parentId && isCompared ? found.id : null
  return found ?? null
}

/**
 * Opens the next branch once the person has merged all of the selected one. Answers with the branch that was opened like
 * this and takes the focus; null for none.
 */
export function useGoOn(
  selected: BranchId | null,
  rows: readonly ListRow[],
  items: readonly WorkItem[],
  select: (id: BranchId) => void,
): BranchId | null {
  const [opened, setOpened] = useState<BranchId | null>(null)
  const before = useRef({ selected, rows, items })
  useEffect(() => {
    const last = before.current
    before.current = { selected, rows, items }
    if (selected === null || last.selected !== selected || last.items === items) return
    const find = (list: readonly WorkItem[]): WorkItem | undefined => list.find(({ branch }) => branch.id === selected)
    const [then, now] = [find(last.items), find(items)]
    if (!then || !waitsForMerge(then) || now?.state !== 'merged' || now.branch.merges.at(-1)?.by !== 'person') return
    const next = nextToMerge(last.rows, selected, items)
    if (next === null) return
    const { activeElement } = document
    const isHere = activeElement === document.body || activeElement?.closest('[data-branches]') !== null
    setOpened(isHere ? next : null)
    select(next)
  }, [selected, rows, items, select])
  return opened
}
