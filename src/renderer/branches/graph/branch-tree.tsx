import { ChevronDown, ChevronRight, GitBranch, GitMerge, Layers } from 'lucide-react'
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { BranchLine, ChangedLines, StopBranch } from './branch-line.tsx'
import { stepInTree } from './keys.ts'
import type { BranchRow } from './rows.ts'
import { rowHeight, type Window } from './visible.ts'

const labels = strings.branches

interface BranchTreeProps {
  readonly rows: readonly BranchRow[]
  readonly folded: ReadonlySet<BranchId>
  readonly window: Window
  readonly selected: BranchId | null
  readonly onSelect: (id: BranchId) => void
  readonly onFold: (id: BranchId, folded: boolean) => void
}

/** The branches of the graph as a tree of names. Only the visible rows and the one that Tab leads to are rendered. */
export function BranchTree({ rows, folded, window, selected, onSelect, onFold }: BranchTreeProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const goTo = useRef<BranchId | null>(null)
  const reached = Math.max(
    rows.findIndex(({ branch }) => branch.id === selected),
    0,
  )
  const made = rows.flatMap((row, index) =>
    (index >= window.firstRow && index <= window.lastRow) || index === reached ? [{ row, index }] : [],
  )
  useEffect(() => {
    if (goTo.current === null) return
    const item = box.current?.querySelector<HTMLElement>(`[data-branch="${goTo.current}"]`)
    item?.focus()
    item?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    if (item) goTo.current = null
  })
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const at = (event.target as HTMLElement).dataset.branch
    const index = rows.findIndex(({ branch }) => branch.id === at)
    const step = index < 0 ? null : stepInTree(event.key, index, rows, folded)
    if (!step) return
    event.preventDefault()
    if (step.kind === 'fold') onFold(step.id, step.folded)
    else {
      goTo.current = step.id
      onSelect(step.id)
    }
  }
  return (
    <div ref={box} role="tree" aria-label={labels.tree} onKeyDown={onKeyDown} className="relative h-full">
      {made.map(({ row, index }) => (
        <TreeItem
          key={row.branch.id}
          row={row}
          top={index * rowHeight}
          folded={folded.has(row.branch.id)}
          selected={row.branch.id === selected}
          reached={index === reached}
          onSelect={onSelect}
          onFold={onFold}
        />
      ))}
    </div>
  )
}

interface TreeItemProps extends Pick<BranchTreeProps, 'onSelect' | 'onFold'> {
  readonly row: BranchRow
  readonly top: number
  readonly folded: boolean
  readonly selected: boolean
  readonly reached: boolean
}

const TreeItem = memo(function TreeItem(props: TreeItemProps): ReactNode {
  const { row, top, folded, selected, reached, onSelect, onFold } = props
  const { branch, level, children, position, siblings } = row
  const merged = branch.merges.some(({ undone }) => !undone)
  const Icon = branch.parentId === null ? Layers : merged ? GitMerge : GitBranch
  const Fold = folded ? ChevronRight : ChevronDown
  const name = branch.parentId === null ? labels.workspace : branch.name
  return (
    <div
      role="treeitem"
      data-branch={branch.id}
      aria-label={name}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={selected}
      aria-expanded={children > 0 ? !folded : undefined}
      tabIndex={reached ? 0 : -1}
      onClick={() => onSelect(branch.id)}
      onKeyDown={(event) => {
        if (event.target === event.currentTarget && (event.key === 'Enter' || event.key === ' ')) onSelect(branch.id)
      }}
      style={{ top, height: rowHeight, paddingLeft: level * 10 }}
      className={classNames(
        'absolute inset-x-0 flex items-center gap-1.5 border-line border-b pr-2',
        selected ? 'bg-accent-soft' : 'bg-canvas hover:bg-hover',
      )}
    >
      <span
        aria-hidden
        className="flex w-4 shrink-0 justify-center text-muted"
        onClick={(event) => {
          if (children === 0) return
          event.stopPropagation()
          onFold(branch.id, !folded)
        }}
      >
        {children > 0 && <Fold size={14} />}
      </span>
      <Icon size={14} aria-hidden className="shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2 leading-[18px]">
          <span
            title={name}
            className={classNames(
              'min-w-0 flex-1 truncate',
              selected && 'font-medium',
              branch.status === 'discarded' && 'text-muted line-through',
            )}
          >
            <VisibleText text={name} />
          </span>
          <ChangedLines branch={branch} />
        </span>
        <BranchLine branch={branch} />
      </span>
      <StopBranch branch={branch} />
    </div>
  )
})
