import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { AriaElement } from '../ui/aria-element.tsx'
import { classNames } from '../ui/class-names.ts'
import { useVirtualRows } from '../ui/use-virtual-rows.ts'
import { FileLine, FolderLine, SelectBox } from './change-row.tsx'
import { type ChangeRow, changeRows, selectedOf, toggled, treeMove } from './change-tree.ts'
import { useAuthorNames } from './use-author-names.ts'

const words = strings.changes

export interface ChangeListProps {
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
  readonly shown: VirtualPath
  readonly onShow: (path: VirtualPath) => void
  readonly selection: ReadonlySet<VirtualPath>
  readonly onSelect: (selection: ReadonlySet<VirtualPath>) => void
}

/** The changed files as a tree: one is shown, any number of them is selected to do something with. */
export function ChangeList({ branchId, changes, shown, onShow, selection, onSelect }: ChangeListProps): ReactNode {
  const [closed, setClosed] = useState<ReadonlySet<VirtualPath>>(new Set())
  const rows = useMemo(() => changeRows(changes, closed), [changes, closed])
  const [at, setAt] = useState<VirtualPath | null>(null)
  const reached = Math.max(
    rows.findIndex(({ path }) => path === (at ?? shown)),
    0,
  )
  const { list, box, focusRow, rangeChanged, stop } = useVirtualRows(reached)

  function setOpen(path: VirtualPath, open: boolean): void {
    const next = new Set(closed)
    if (open) next.delete(path)
    else next.add(path)
    setClosed(next)
  }

  function goTo(index: number): void {
    const row = rows[index]
    if (!row) return
    setAt(row.path)
    if (row.kind === 'file') onShow(row.path)
    focusRow(index)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>, index: number): void {
    const move = event.ctrlKey || event.metaKey || event.altKey ? null : treeMove(event.key, rows, index)
    if (!move) return
    event.preventDefault()
    if (move.kind === 'focus') goTo(move.index)
    else if (move.kind === 'toggle') onSelect(toggled(move.files, selection))
    else setOpen(move.path, move.kind === 'open')
  }

  function activate(row: ChangeRow): void {
    setAt(row.path)
    if (row.kind === 'folder') setOpen(row.path, !row.open)
    else onShow(row.path)
  }

  const nameOf = useAuthorNames(branchId)
  const drifts = useApp((state) => state.live.drifts.get(branchId))
  return (
    <AriaElement
      ref={box}
      role="treegrid"
      aria-label={words.title}
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
          <AriaElement
            role="row"
            data-row={index}
            aria-label={row.path}
            aria-level={row.level}
            aria-rowindex={index + 1}
            aria-expanded={row.kind === 'folder' ? row.open : undefined}
            aria-selected={row.kind === 'file' ? selection.has(row.path) : undefined}
            aria-current={row.path === shown ? 'true' : undefined}
            tabIndex={index === reached ? 0 : -1}
            onKeyDown={(event) => onKeyDown(event, index)}
            onClick={() => activate(row)}
            style={{ paddingLeft: 12 + (row.level - 1) * 14 }}
            className={classNames(
              'flex cursor-pointer items-center gap-2 pr-3 hover:bg-hover',
              row.kind === 'file' ? 'min-h-11 py-0.5' : 'h-7',
              row.path === shown && 'bg-accent-soft',
            )}
          >
            <SelectBox
              label={words.select(row.path)}
              selected={selectedOf(row.kind === 'file' ? [row.path] : row.files, selection)}
              onToggle={() => onSelect(toggled(row.kind === 'file' ? [row.path] : row.files, selection))}
            />
            {row.kind === 'folder' ? (
              <FolderLine row={row} />
            ) : (
              <FileLine row={row} author={nameOf(row.path)} drift={drifts?.get(row.path)} />
            )}
          </AriaElement>
        )}
      />
    </AriaElement>
  )
}
