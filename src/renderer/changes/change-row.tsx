import type { KeyboardEvent, ReactNode } from 'react'
import type { Drift } from '#shared/model/drift.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { strings } from '../strings/strings.ts'
import { classNames } from '../ui/react/class-names.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import { FileLine, FolderLine, SelectBox } from './change-cells.tsx'
import { type ChangeRow, selectionOf, type TreeMove } from './change-tree.ts'

interface ChangeRowProps {
  readonly row: ChangeRow
  readonly index: number
  /** True for the row that Tab leads to. */
  readonly isReached: boolean
  readonly isShown: boolean
  readonly selection: ReadonlySet<VirtualPath>
  readonly viewed: boolean
  readonly author: string
  readonly drift: Drift | undefined
  /** The effect of a key on this row; null for a key that the tree does not use. */
  readonly moveOf: (key: string) => TreeMove | null
  readonly onMove: (move: TreeMove) => void
}

export function ChangeRowView(props: ChangeRowProps): ReactNode {
  const { row, index, isReached, isShown, selection, viewed, author, drift, moveOf, onMove } = props
  const isFile = row.kind === 'file'
  const files = isFile ? [row.path] : row.files
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const move = event.ctrlKey || event.metaKey || event.altKey ? null : moveOf(event.key)
    if (!move) return
    event.preventDefault()
    onMove(move)
  }
  return (
    <AriaElement
      role="row"
      data-row={index}
      aria-label={row.path}
      aria-level={row.level}
      aria-rowindex={index + 1}
      aria-expanded={isFile ? undefined : row.open}
      aria-selected={isFile ? selection.has(row.path) : undefined}
      aria-current={isShown ? 'true' : undefined}
      tabIndex={isReached ? 0 : -1}
      onKeyDown={onKeyDown}
      onClick={() => onMove(isFile ? { kind: 'focus', index } : { kind: row.open ? 'close' : 'open', path: row.path })}
      style={{ paddingLeft: 12 + (row.level - 1) * 14 }}
      className={classNames(
        'flex cursor-pointer items-center gap-2 pr-3 hover:bg-hover',
        isFile ? 'min-h-11 py-0.5' : 'h-7',
        isShown && 'bg-accent-soft',
      )}
    >
      <SelectBox
        label={strings.changes.select(row.path)}
        selected={selectionOf(files, selection)}
        onToggle={() => onMove({ kind: 'toggle', files })}
      />
      {isFile ? <FileLine row={row} viewed={viewed} author={author} drift={drift} /> : <FolderLine row={row} />}
    </AriaElement>
  )
}
