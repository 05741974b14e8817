import { ArrowUpRight, CircleSlash, GitBranch } from 'lucide-react'
import type { ReactNode } from 'react'
import { TableVirtuoso } from 'react-virtuoso'
import { answerOfRow, type BatchRow, durationOf, type RowStatus } from '#shared/model/derived/batch.ts'
import type { ThreadState, ThreadStatus } from '#shared/model/thread.ts'
import { StatusMark } from '../parts/marks.tsx'
import { useUpdateUi } from '../state/hooks/hooks.tsx'
import { showBranch, showThread } from '../state/store/ui-state.ts'
import { formatDuration } from '../strings/format.ts'
import { strings } from '../strings/strings.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = strings.batches
const shownOfAnswer = 300

/** The tasks of a batch. Only visible rows are rendered, so a thousand cost as much as twenty. */
export function BatchTable({ rows }: { rows: readonly BatchRow[] }): ReactNode {
  return (
    <TableVirtuoso
      className="min-h-0 flex-1"
      data={rows}
      aria-label={labels.table}
      computeItemKey={(_, row) => row.index}
      components={{
        Table: (props) => (
          <table {...props} aria-label={labels.table} aria-rowcount={rows.length + 1} className="w-full table-fixed" />
        ),
        TableRow: (props) => <tr {...props} aria-rowindex={props['data-index'] + 2} className="border-line border-b" />,
      }}
      fixedHeaderContent={() => <Heading />}
      itemContent={(_, row) => <Cells row={row} />}
    />
  )
}

const cell = 'truncate px-2 py-1'
const wide = 'max-lg:hidden'

function Heading(): ReactNode {
  return (
    <tr className="bg-panel text-left text-muted text-xs">
      <th scope="col" className={`${cell} w-12`}>
        {labels.number}
      </th>
      <th scope="col" className={`${cell} ${wide} w-24`}>
        {labels.id}
      </th>
      <th scope="col" className={`${cell} ${wide} w-32`}>
        {labels.type}
      </th>
      <th scope="col" className={cell}>
        {labels.task}
      </th>
      <th scope="col" className={`${cell} w-26`}>
        {labels.status}
      </th>
      <th scope="col" className={`${cell} w-20 text-right`}>
        {labels.time}
      </th>
      <th scope="col" className={`${cell} max-sm:hidden`}>
        {labels.result}
      </th>
      <th scope="col" className={`${cell} w-20`}>
        {labels.actions}
      </th>
    </tr>
  )
}

function Cells({ row }: { row: BatchRow }): ReactNode {
  const answer = answerOfRow(row).slice(0, shownOfAnswer)
  const duration = durationOf(row)
  return (
    <>
      <td className={`${cell} text-muted tabular-nums`}>{row.index + 1}</td>
      <td className={`${cell} ${wide}`}>
        <VisibleText text={row.id} />
      </td>
      <td className={`${cell} ${wide} text-muted`}>{row.type}</td>
      <td className={cell} title={row.description}>
        <VisibleText text={row.description} />
      </td>
      <td className={cell}>
        <RowMark status={row.status} />
      </td>
      <td className={`${cell} text-right text-faint text-xs tabular-nums`}>
        {duration !== null && formatDuration(duration)}
      </td>
      <td className={`${cell} max-sm:hidden ${row.status === 'failed' ? 'text-bad' : 'text-muted'}`} title={answer}>
        <VisibleText text={answer} />
      </td>
      <td className="px-1">{row.thread && <RowActions id={row.id} thread={row.thread} />}</td>
    </>
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

const marks: Readonly<Record<Exclude<RowStatus, 'skipped'>, ThreadStatus>> = {
  queued: 'queued',
  working: 'working',
  needs_you: 'needs_you',
  paused: 'paused',
  ok: 'done',
  failed: 'failed',
  cancelled: 'stopped',
}

function RowMark({ status }: { status: RowStatus }): ReactNode {
  if (status !== 'skipped') return <StatusMark status={marks[status]} />
  return (
    <span className="inline-flex items-center gap-1 text-muted">
      <CircleSlash size={14} aria-hidden />
      <span className="text-xs">{labels.skippedWord}</span>
    </span>
  )
}
