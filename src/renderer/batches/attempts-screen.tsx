import { ChartColumn, Columns3, Combine, GitMerge, Square, Trash2 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { Call } from '#shared/model/calls/call.ts'
import { type BatchRow, costLimitOf } from '#shared/model/derived/batch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { formatMoney } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useAppSlowly, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useSavedChoice } from '../state/preferences/use-saved-choice.ts'
import { type BatchKey, mostCompared, showCompared, showCompose } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { type AttemptRow, attemptRows } from './attempt-rows.ts'
import { AttemptsTable } from './attempts-table.tsx'
import { BatchCharts } from './batch-charts.tsx'
import { type AttemptActions, useAttemptActions } from './use-attempt-actions.ts'

const labels = strings.attempts

interface AttemptsScreenProps {
  readonly batch: BatchKey
  readonly call: Call
  readonly rows: readonly BatchRow[]
}

/** Several attempts at one task: one table by evidence, and what a person makes of it. */
export function AttemptsScreen({ batch, call, rows }: AttemptsScreenProps): ReactNode {
  const project = useAppSlowly((state) => state.project)
  const attempts = useMemo(() => attemptRows(project, call, rows), [project, call, rows])
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const [charts, setCharts] = useSavedChoice('coppice-attempt-charts', ['hidden', 'shown'])
  const actions = useAttemptActions(batch)
  const into = project.threads.get(batch.threadId)?.branchId
  const running = call.state.kind !== 'finished'
  const choose = (index: number): void =>
    setChosen((before) =>
      before.has(index) ? new Set([...before].filter((one) => one !== index)) : new Set([...before, index]),
    )
  const branches = attempts.flatMap(({ row }) => (chosen.has(row.index) && row.thread ? [row.thread.branchId] : []))
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <header className="flex flex-col gap-2 border-line border-b p-3">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="mr-auto font-semibold text-base">{labels.title(attempts.length)}</h2>
          {running && (
            <Button
              tone="danger"
              icon={<Square size={13} aria-hidden />}
              disabled={actions.command.busy}
              onClick={() => void actions.stop()}
            >
              {strings.batches.stop}
            </Button>
          )}
          <Commands attempts={attempts} chosen={branches} into={into} running={running} actions={actions} />
          <Button
            tone="quiet"
            icon={<ChartColumn size={14} aria-hidden />}
            aria-pressed={charts === 'shown'}
            onClick={() => setCharts(charts === 'shown' ? 'hidden' : 'shown')}
          >
            {strings.batches.charts.show}
          </Button>
        </div>
        <Facts call={call} rows={rows} attempts={attempts} running={running} />
        {actions.command.refusal && <RefusalNotice refusal={actions.command.refusal} />}
      </header>
      {charts === 'shown' && call.batch && (
        <div className="max-h-[40%] shrink-0 overflow-y-auto max-sm:max-h-36">
          <BatchCharts rows={rows} startedAt={call.batch.startedAt} running={running} />
        </div>
      )}
      <AttemptsTable
        rows={attempts}
        chosen={chosen}
        onChoose={choose}
        onTake={running || actions.command.busy ? null : actions.take}
      />
    </div>
  )
}

interface CommandsProps {
  readonly attempts: readonly AttemptRow[]
  readonly chosen: readonly BranchId[]
  /** The branch that gets what is taken. Undefined while it is not known. */
  readonly into: BranchId | undefined
  readonly running: boolean
  readonly actions: AttemptActions
}

function Commands({ attempts, chosen, into, running, actions }: CommandsProps): ReactNode {
  const updateUi = useUpdateUi()
  const { busy } = actions.command
  const best = attempts.find(({ isBest, fate }) => isBest && fate === 'open')
  const hasTaken = attempts.some(({ fate }) => fate === 'taken')
  const rest = attempts.filter(({ fate, row }) => fate === 'open' && row.thread)
  const isComparable = chosen.length >= 2 && chosen.length <= mostCompared
  return (
    <>
      <Button
        tone="primary"
        icon={<GitMerge size={13} aria-hidden />}
        disabled={busy || running || !best || hasTaken}
        title={best ? labels.takeBestHint(best.name) : labels.noneGreen}
        onClick={() => best && void actions.take(best)}
      >
        {labels.takeBest}
      </Button>
      <Button
        icon={<Columns3 size={13} aria-hidden />}
        disabled={!isComparable}
        title={labels.compareHint}
        onClick={() => updateUi((ui) => showCompared(ui, chosen))}
      >
        {labels.compare}
      </Button>
      <Button
        icon={<Combine size={13} aria-hidden />}
        disabled={running || chosen.length < 2 || into === undefined}
        title={labels.composeHint}
        onClick={() =>
          into &&
          updateUi((ui) =>
            showCompose(ui, { branches: chosen.map((branchId) => ({ branchId, sequence: null })), into }),
          )
        }
      >
        {labels.compose}
      </Button>
      <Button
        icon={<Trash2 size={13} aria-hidden />}
        disabled={busy || running || rest.length === 0}
        title={labels.discardRestHint}
        onClick={() => void actions.discard(rest)}
      >
        {labels.discardRest}
      </Button>
    </>
  )
}

function Facts({
  call,
  rows,
  attempts,
  running,
}: Omit<AttemptsScreenProps, 'batch'> & {
  readonly attempts: readonly AttemptRow[]
  readonly running: boolean
}): ReactNode {
  const done = rows.filter(({ thread }) => thread?.end != null).length
  const limit = call.batch ? (costLimitOf(call.batch) ?? null) : null
  const costs = rows.map(({ thread }) => (thread ? thread.usage.cost : 0))
  const cost = costs.some((one) => one === null) ? null : costs.reduce<number>((sum, one) => sum + (one ?? 0), 0)
  const note = call.batch?.judgedNote ?? ''
  const isNoneGreen = !running && !attempts.some(({ isBest }) => isBest)
  return (
    <>
      <p className="text-muted text-xs tabular-nums">
        {labels.ended(done, rows.length)}
        {` · ${limit === null ? formatMoney(cost) : `${formatMoney(cost)} / ${formatMoney(limit)}`}`}
      </p>
      {isNoneGreen && <p className="text-muted text-xs">{labels.noneGreen}</p>}
      {note !== '' && (
        <p className="text-muted text-xs [overflow-wrap:anywhere]">
          <VisibleText text={note} />
        </p>
      )}
    </>
  )
}
