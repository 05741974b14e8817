import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { useAuthorNames } from '../state/hooks/use-author-names.ts'
import { strings } from '../strings/strings.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import { useVirtualRows } from '../ui/react/use-virtual-rows.ts'
import { ChangeRowView } from './change-row.tsx'
import { changeRows, type TreeMove, toggleAll, treeMove } from './change-tree.ts'

interface ChangeListProps {
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
  /** Those that agents made. Each is one row that opens. */
  readonly repositories: readonly VirtualPath[]
  readonly shown: VirtualPath
  readonly onShow: (path: VirtualPath) => void
  readonly selection: ReadonlySet<VirtualPath>
  readonly onSelect: (selection: ReadonlySet<VirtualPath>) => void
  readonly viewed: ReadonlySet<VirtualPath>
}

/** The changed files as a tree. One of them is shown; any number can be selected. */
export function ChangeList({
  branchId,
  changes,
  repositories,
  shown,
  onShow,
  selection,
  onSelect,
  viewed,
}: ChangeListProps): ReactNode {
  const [turned, setTurned] = useState<ReadonlySet<VirtualPath>>(new Set())
  const rows = useMemo(() => changeRows(changes, turned, repositories), [changes, turned, repositories])
  const [at, setAt] = useState<VirtualPath | null>(null)
  const found = rows.findIndex(({ path }) => path === (at ?? shown))
  const reached = Math.max(found, 0)
  const { list, box, focusRow, rangeChanged, stop } = useVirtualRows(reached)
  const nameOf = useAuthorNames(branchId)
  const shownRow = useMemo(() => rows.findIndex(({ path }) => path === shown), [rows, shown])
  useEffect(() => {
    if (shownRow >= 0 && !box.current?.contains(document.activeElement))
      list.current?.scrollIntoView({ index: shownRow })
  }, [shownRow, list, box])
  const drifts = useApp((state) => state.live.drifts.get(branchId))

  function goTo(index: number): void {
    const row = rows[index]
    if (!row) return
    setAt(row.path)
    if (row.kind === 'file') onShow(row.path)
    focusRow(index)
  }

  function move(to: TreeMove): void {
    if (to.kind === 'toggle') onSelect(toggleAll(to.files, selection))
    else if (to.kind === 'focus') goTo(to.index)
    else {
      setAt(to.path)
      setTurned(toggleAll([to.path], turned))
    }
  }

  return (
    <AriaElement
      ref={box}
      role="treegrid"
      aria-label={strings.changes.title}
      aria-rowcount={rows.length}
      aria-multiselectable
      {...stop}
      className="min-h-0 flex-1"
    >
      <Virtuoso
        ref={list}
        className="h-full"
        data={rows}
        role="rowgroup"
        tabIndex={-1}
        rangeChanged={rangeChanged}
        increaseViewportBy={200}
        computeItemKey={(_, row) => row.path}
        itemContent={(index, row) => (
          <ChangeRowView
            row={row}
            index={index}
            isReached={index === reached}
            isShown={row.path === shown}
            selection={selection}
            viewed={viewed.has(row.path)}
            author={nameOf(row.path)}
            drift={drifts?.get(row.path)}
            onMove={move}
            moveOf={(key) => treeMove(key, rows, index)}
          />
        )}
      />
    </AriaElement>
  )
}
