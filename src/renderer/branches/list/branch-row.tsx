import { ChevronDown, ChevronRight, GitMerge, Layers, TriangleAlert } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { CheckState } from '#shared/model/check.ts'
import { AgentMark } from '../../parts/agents/agent-mark.tsx'
import { CheckMark } from '../../parts/checks/check-mark.tsx'
import { useApp } from '../../state/hooks/hooks.tsx'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { AriaElement } from '../../ui/react/elements.tsx'
import { BranchTime, ChangedLines, LastTool, StopBranch } from './branch-cells.tsx'
import { conflictText, troubleText } from './conflict-words.ts'
import { firstSentence, type ListRow, type WorkItem, type WorkState } from './work-list.ts'

const labels = strings.branchList

/** Height of a row in pixels. */
export const rowHeights = { workspace: 32, group: 28, branch: 42 } as const

interface BranchRowProps {
  readonly row: ListRow
  readonly index: number
  /** True for the row that Tab leads to. */
  readonly reached: boolean
  readonly selected: boolean
  readonly checked: boolean
  /** How the project's checks stand on the branch; null for a group, and without checks. */
  readonly checks: CheckState | null
  readonly onSelect: (branch: Branch) => void
  readonly onFold: (state: WorkState, folded: boolean) => void
  readonly onCheck: (branch: Branch) => void
}

/** One row of the list. */
export const BranchRow = memo(function BranchRow(props: BranchRowProps): ReactNode {
  const { row, index, reached, selected, checked, checks, onSelect, onFold, onCheck } = props
  const shared = { 'data-row': index, tabIndex: reached ? 0 : -1, style: { height: rowHeights[row.kind] } } as const
  const look = selected ? 'bg-accent-soft' : 'hover:bg-hover'
  switch (row.kind) {
    case 'workspace':
      return (
        <AriaElement
          {...shared}
          role="treeitem"
          aria-level={1}
          aria-label={strings.branches.workspace}
          aria-selected={selected}
          onClick={() => onSelect(row.branch)}
          className={classNames('flex items-center gap-2 border-line border-b px-2', look)}
        >
          <Layers size={14} aria-hidden className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1 truncate">{strings.branches.workspace}</span>
          {checks && <CheckMark state={checks} whole />}
          <ChangedLines branch={row.branch} />
        </AriaElement>
      )
    case 'group':
      return <GroupRow {...shared} row={row} onFold={onFold} />
    case 'branch':
      return (
        <AriaElement
          {...shared}
          role="treeitem"
          data-branch={row.item.branch.id}
          aria-level={2}
          aria-label={row.item.branch.name}
          aria-posinset={row.position}
          aria-setsize={row.siblings}
          aria-selected={selected}
          aria-checked={checked}
          onClick={() => onSelect(row.item.branch)}
          className={classNames('group/row flex items-center gap-2 border-line border-b px-2', look)}
        >
          <ChoiceBox checked={checked} onCheck={() => onCheck(row.item.branch)} />
          <BranchFacts item={row.item} checks={checks} bold={selected} />
        </AriaElement>
      )
  }
})

interface GroupRowProps {
  readonly row: ListRow & { readonly kind: 'group' }
  readonly onFold: BranchRowProps['onFold']
  readonly style: { readonly height: number }
  readonly tabIndex: number
  readonly 'data-row': number
}

function GroupRow({ row: { state, count, folded }, onFold, ...shared }: GroupRowProps): ReactNode {
  const Fold = folded ? ChevronRight : ChevronDown
  return (
    <AriaElement
      {...shared}
      role="treeitem"
      aria-level={1}
      aria-label={labels.group(labels.states[state], count)}
      aria-expanded={!folded}
      aria-selected={false}
      onClick={() => onFold(state, !folded)}
      className="flex items-center gap-1 bg-panel px-2 hover:bg-hover"
    >
      <Fold size={13} aria-hidden className="shrink-0 text-muted" />
      <span className={classNames('font-semibold text-xs', groupColours[state])}>{labels.states[state]}</span>
      <span className="text-muted text-xs">{count}</span>
    </AriaElement>
  )
}

const groupColours: Partial<Record<WorkState, string>> = {
  conflict: 'text-bad',
  overlap: 'text-warn',
  failed: 'text-bad',
  needs_you: 'text-warn',
  clean: 'text-good',
}

/** A box to tick with the pointer. The row itself tells its state to screen readers, and takes the key `x`. */
function ChoiceBox({ checked, onCheck }: { checked: boolean; onCheck: () => void }): ReactNode {
  return (
    <span
      aria-hidden
      title={labels.check}
      onClick={(event) => {
        event.stopPropagation()
        onCheck()
      }}
      className="flex h-full w-6 shrink-0 items-center justify-center"
    >
      <span
        className={classNames(
          'flex size-3.5 items-center justify-center rounded-sm border text-[10px] leading-none',
          checked
            ? 'border-accent-solid bg-accent-solid text-on-accent'
            : 'border-line-strong opacity-60 group-hover/row:opacity-100',
        )}
      >
        {checked && '✓'}
      </span>
    </span>
  )
}

interface BranchFactsProps {
  readonly item: WorkItem
  readonly checks: CheckState | null
  readonly bold: boolean
}

/** When another branch leaves the group, the row has another place among fewer, and says the same. */
const BranchFacts = memo(function BranchFacts({ item, checks, bold }: BranchFactsProps): ReactNode {
  const { branch, thread, state } = item
  const chip = useApp((app) => troubleText(app, item))
  const isNow = useApp((app) => conflictText(app, item) !== '')
  const task = thread?.parent?.task ?? ''
  return (
    <>
      <AgentMark name={thread?.agent ?? branch.name} />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2 leading-[18px]">
          <span
            title={branch.name}
            className={classNames(
              'min-w-0 flex-1 truncate',
              bold && 'font-medium',
              branch.status === 'discarded' && 'text-muted line-through',
            )}
          >
            <VisibleText text={branch.name} />
          </span>
          {state === 'merged' && <GitMerge size={13} aria-hidden className="shrink-0 text-good" />}
          <BranchTime branch={branch} />
          <ChangedLines branch={branch} />
        </span>
        <span className="flex items-center gap-2 text-muted text-xs leading-4">
          {chip === '' ? (
            <span title={task} className="min-w-0 flex-1 truncate">
              {state === 'working' ? (
                <LastTool branch={branch} fallback={firstSentence(task)} />
              ) : (
                <VisibleText text={firstSentence(task)} />
              )}
            </span>
          ) : (
            <span
              title={chip}
              className={classNames('flex min-w-0 flex-1 items-center gap-1', isNow ? 'text-bad' : 'text-warn')}
            >
              <TriangleAlert size={12} aria-hidden className="shrink-0" />
              <span className="truncate">
                <VisibleText text={chip} />
              </span>
            </span>
          )}
          {checks && <CheckMark state={checks} whole />}
        </span>
      </span>
      <StopBranch branch={branch} />
    </>
  )
})
