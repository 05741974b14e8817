import { ArrowDown, ArrowUp, ArrowUpRight, GitBranch, X } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { type TableComponents, TableVirtuoso } from 'react-virtuoso'
import { answerOfRow, type BatchRow, durationOf } from '#shared/model/derived/batch.ts'
import { tokensOf } from '#shared/model/models/usage.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { formatCount, formatDuration, formatMoney } from '#shared/text/format.ts'
import { useUpdateUi } from '../state/hooks/hooks.tsx'
import { showBranch, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { type BatchColumn, type BatchOrder, sortRows } from './batch-counts.ts'
import { RowMark } from './row-mark.tsx'

const labels = strings.batches
const shownOfAnswer = 300
const shownOfOpenAnswer = 20_000

/** Always the same object, because new components would draw every row anew. `context` is the number of rows. */
const components: TableComponents<BatchRow, number> = {
  Table: ({ context, ...props }) => (
    <table {...props} aria-label={labels.table} aria-rowcount={context + 1} className="w-full table-fixed" />
  ),
  TableRow: ({ context: _, item: __, ...props }) => (
    <tr {...props} aria-rowindex={props['data-index'] + 2} className="border-line border-b align-top" />
  ),
}

interface BatchTableProps {
  readonly rows: readonly BatchRow[]
  /** Takes the index of a task that has not started. */
  readonly onDrop: (index: number) => void
}

/** The tasks of a batch. Only visible rows are rendered, so a thousand cost as much as twenty. */
export function BatchTable({ rows, onDrop }: BatchTableProps): ReactNode {
  const [order, setOrder] = useState<BatchOrder>({ column: 'number', down: false })
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const sorted = useMemo(() => sortRows(rows, order), [rows, order])
  const onSort = (column: BatchColumn): void =>
    setOrder((before) => ({ column, down: before.column === column ? !before.down : startsDown.has(column) }))
  const onFold = (index: number): void =>
    setUnfolded((before) => (before.has(index) ? without(before, index) : new Set(before).add(index)))
  return (
    <TableVirtuoso
      className="@container min-h-0 flex-1"
      data={sorted}
      aria-label={labels.table}
      computeItemKey={(_, row) => row.index}
      components={components}
      context={rows.length}
      fixedHeaderContent={() => <Heading order={order} onSort={onSort} />}
      itemContent={(_, row) => (
        <Cells
          row={row}
          unfolded={unfolded.has(row.index)}
          onFold={() => onFold(row.index)}
          onDrop={() => onDrop(row.index)}
        />
      )}
    />
  )
}

/** The most expensive and the slowest are what somebody looks for. */
const startsDown: ReadonlySet<BatchColumn> = new Set(['cost', 'tokens', 'time'])

function without(set: ReadonlySet<number>, gone: number): ReadonlySet<number> {
  return new Set([...set].filter((one) => one !== gone))
}

/** All lines of a row are 20 px high, so that text of any size and the icons stand on one line. */
const cell = 'truncate px-2 py-1 leading-5'
/** Columns that go first when the table gets narrow. */
const [ids, types, tokens, costs] = ['@max-4xl:hidden', '@max-5xl:hidden', '@max-xl:hidden', '@max-lg:hidden']

interface HeadingProps {
  readonly order: BatchOrder
  readonly onSort: (column: BatchColumn) => void
}

function Heading(props: HeadingProps): ReactNode {
  return (
    <tr className="bg-panel text-left text-muted text-xs">
      <SortHead {...props} column="number" label={labels.number} className="w-15" />
      <th scope="col" className={`${cell} ${ids} w-20`}>
        {labels.id}
      </th>
      <th scope="col" className={`${cell} ${types} w-32`}>
        {labels.type}
      </th>
      <th scope="col" className={cell}>
        {labels.task}
      </th>
      <SortHead {...props} column="status" label={labels.status} className="w-25" />
      <SortHead {...props} column="time" label={labels.time} className="w-18 text-right" />
      <SortHead {...props} column="tokens" label={labels.tokens} className={`${tokens} w-18 text-right`} />
      <SortHead {...props} column="cost" label={labels.cost} className={`${costs} w-18 text-right`} />
      <th scope="col" className={`${cell} ${costs}`}>
        {labels.result}
      </th>
      <th scope="col" className={`${cell} w-18`}>
        {labels.actions}
      </th>
    </tr>
  )
}

interface SortHeadProps extends HeadingProps {
  readonly column: BatchColumn
  readonly label: string
  readonly className: string
}

function SortHead({ order, onSort, column, label, className }: SortHeadProps): ReactNode {
  const isSorted = order.column === column
  const Icon = order.down ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (order.down ? 'descending' : 'ascending') : undefined}
      className={`px-1 py-0.5 ${className}`}
    >
      <button
        type="button"
        title={labels.sortBy(label)}
        onClick={() => onSort(column)}
        className="inline-flex min-h-6 max-w-full items-center gap-0.5 rounded px-1 hover:bg-hover hover:text-text"
      >
        <span className="truncate">{label}</span>
        {isSorted && <Icon size={12} aria-hidden className="shrink-0" />}
      </button>
    </th>
  )
}

interface CellsProps {
  readonly row: BatchRow
  readonly unfolded: boolean
  readonly onFold: () => void
  readonly onDrop: () => void
}

function Cells({ row, unfolded, onFold, onDrop }: CellsProps): ReactNode {
  const duration = durationOf(row)
  const { thread } = row
  const figure = 'truncate px-2 py-1 text-right text-muted text-xs/5 tabular-nums'
  return (
    <>
      <td className={`${cell} text-muted tabular-nums`}>{row.index + 1}</td>
      <td className={`${cell} ${ids}`}>
        <VisibleText text={row.id} />
      </td>
      <td className={`${cell} ${types} text-muted`}>{row.type}</td>
      <td className={cell} title={row.description}>
        <VisibleText text={row.description} />
      </td>
      <td className={cell}>
        <span className="flex h-5 items-center">
          <RowMark status={row.status} />
        </span>
      </td>
      <td className={figure}>{duration !== null && formatDuration(duration)}</td>
      <td className={`${figure} ${tokens}`}>{thread && formatCount(tokensOf(thread.usage))}</td>
      <td className={`${figure} ${costs}`}>{thread && formatMoney(thread.usage.cost)}</td>
      <td className={`px-2 py-1 leading-5 ${costs} ${row.status === 'failed' ? 'text-bad' : 'text-muted'}`}>
        <Answer row={row} unfolded={unfolded} onFold={onFold} />
      </td>
      <td className="px-1">
        {thread && <RowActions id={row.id} thread={thread} />}
        {row.status === 'queued' && (
          <IconButton label={labels.dropTask(row.id)} onClick={onDrop}>
            <X size={14} aria-hidden />
          </IconButton>
        )}
      </td>
    </>
  )
}

/** One line, and the whole text on a press. */
function Answer({ row, unfolded, onFold }: Omit<CellsProps, 'onDrop'>): ReactNode {
  const answer = answerOfRow(row)
  if (answer === '') return null
  return (
    <button
      type="button"
      aria-expanded={unfolded}
      title={unfolded ? undefined : labels.showAll(row.id)}
      onClick={onFold}
      className={
        unfolded
          ? 'block max-h-60 w-full overflow-y-auto whitespace-pre-wrap text-left [overflow-wrap:anywhere]'
          : 'block w-full truncate text-left hover:underline'
      }
    >
      <VisibleText text={answer.slice(0, unfolded ? shownOfOpenAnswer : shownOfAnswer)} />
    </button>
  )
}

function RowActions({ id, thread }: { id: string; thread: ThreadState }): ReactNode {
  const updateUi = useUpdateUi()
  return (
    <span className="flex">
      <IconButton label={labels.reviewTask(id)} onClick={() => updateUi((ui) => showBranch(ui, thread.branchId))}>
        <GitBranch size={13} aria-hidden />
      </IconButton>
      <IconButton label={labels.openTask(id)} onClick={() => updateUi((ui) => showThread(ui, thread.id))}>
        <ArrowUpRight size={14} aria-hidden />
      </IconButton>
    </span>
  )
}
