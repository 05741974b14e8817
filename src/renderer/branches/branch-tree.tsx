import { GitBranch, GitMerge, Layers } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp } from '../state/hooks.tsx'
import { StatusMark } from '../state/status.tsx'
import { strings } from '../state/strings.ts'
import { AriaElement } from '../ui/aria-element.tsx'
import { classNames } from '../ui/class-names.ts'

const words = strings.branches

export interface BranchTreeProps {
  readonly branches: readonly Branch[]
  readonly selected: BranchId | null
  readonly onSelect: (id: BranchId) => void
}

/** The same branches as the graph, as a tree of names. */
export function BranchTree({ branches, selected, onSelect }: BranchTreeProps): ReactNode {
  const ids = new Set(branches.map(({ id }) => id))
  const roots = branches.filter(({ parentId }) => parentId === null || !ids.has(parentId))
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="treeitem"]')]
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    items[items.indexOf(document.activeElement as HTMLElement) + step]?.focus()
  }
  return (
    <div role="tree" aria-label={words.tree} onKeyDown={onKeyDown} className="py-1">
      {roots.map((branch) => (
        <Item key={branch.id} branch={branch} level={1} branches={branches} selected={selected} onSelect={onSelect} />
      ))}
    </div>
  )
}

function Item({
  branch,
  level,
  branches,
  selected,
  onSelect,
}: BranchTreeProps & { branch: Branch; level: number }): ReactNode {
  const thread = useApp((state) => state.journal.threads.get(branch.threadId))
  const children = branches.filter(({ parentId }) => parentId === branch.id)
  const isSelected = branch.id === selected
  const merged = branch.merges.some(({ undone }) => !undone)
  const Icon = branch.parentId === null ? Layers : merged ? GitMerge : GitBranch
  return (
    <>
      <div
        role="treeitem"
        aria-level={level}
        aria-selected={isSelected}
        aria-expanded={children.length > 0 ? true : undefined}
        tabIndex={isSelected || (selected === null && level === 1) ? 0 : -1}
        onClick={() => onSelect(branch.id)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === ' ') onSelect(branch.id)
        }}
        style={{ paddingLeft: level * 12 }}
        className={classNames(
          'flex h-7 items-center gap-2 pr-3 hover:bg-hover',
          isSelected && 'bg-accent-soft font-medium',
        )}
      >
        <Icon size={14} aria-hidden className="shrink-0 text-muted" />
        <span
          title={branch.name}
          className={classNames('min-w-0 flex-1 truncate', branch.status === 'discarded' && 'text-muted line-through')}
        >
          {branch.parentId === null ? words.workspace : branch.name}
        </span>
        {branch.status === 'discarded' ? (
          <span className="text-muted text-xs">{words.discarded}</span>
        ) : (
          branch.parentId !== null && thread && <StatusMark status={thread.status} />
        )}
      </div>
      {children.length > 0 && (
        <AriaElement role="group">
          {children.map((child) => (
            <Item
              key={child.id}
              branch={child}
              level={level + 1}
              branches={branches}
              selected={selected}
              onSelect={onSelect}
            />
          ))}
        </AriaElement>
      )}
    </>
  )
}
