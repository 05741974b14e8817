import { ChartColumn, GitMerge, RotateCcw, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Call, callDuration } from '#shared/model/calls/call.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { formatCount, formatDuration, formatMoney } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import {
  type Command,
  useApp,
  useAppList,
  useClient,
  useCommand,
  useProjectId,
  useUpdateUi,
} from '../state/hooks/hooks.tsx'
import { outputKey } from '../state/store/live.ts'
import { subagentsOf } from '../state/store/selectors.ts'
import { type BatchKey, openFile } from '../state/store/ui-state.ts'
import { type BatchFilter, batchFilters } from '../strings/agents/batches.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { BatchChanges } from './batch-changes.tsx'
import { type BatchCounts, countShown } from './batch-counts.ts'
import type { ChangeBatch } from './use-change-batch.ts'

const labels = strings.batches

interface BatchHeaderProps {
  readonly batch: BatchKey
  readonly call: Call
  readonly changing: ChangeBatch
  readonly counts: BatchCounts
  readonly filter: BatchFilter
  readonly onFilter: (filter: BatchFilter) => void
  readonly charts: boolean
  readonly onCharts: (shown: boolean) => void
}

/** The progress of a batch, and the commands for the whole batch. */
export function BatchHeader(props: BatchHeaderProps): ReactNode {
  const { batch, call, changing, counts, filter, onFilter, charts, onCharts } = props
  const actions = useBatchActions(batch)
  const running = call.state.kind !== 'finished'
  const { busy, refusal } = actions.command
  return (
    <header className="flex flex-col gap-2 border-line border-b p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="mr-auto font-semibold text-base">{labels.title(counts.total)}</h2>
        {running ? (
          <Button tone="danger" icon={<Square size={13} aria-hidden />} disabled={busy} onClick={actions.stop}>
            {labels.stop}
          </Button>
        ) : (
          <Button
            icon={<RotateCcw size={13} aria-hidden />}
            disabled={busy || counts.ok === counts.total}
            onClick={actions.retry}
          >
            {labels.retry}
          </Button>
        )}
        <Button
          icon={<GitMerge size={13} aria-hidden />}
          disabled={busy || running || counts.ok === 0}
          onClick={actions.mergeClean}
        >
          {labels.mergeClean}
        </Button>
      </div>
      <Bar counts={counts} />
      <div className="flex flex-wrap items-center gap-x-4">
        <Figures batch={batch} call={call} counts={counts} />
        {call.batch && !running && <Results folder={call.batch.folder} />}
      </div>
      {refusal && <RefusalNotice refusal={refusal} />}
      {call.batch && <BatchChanges start={call.batch} counts={counts} running={running} changing={changing} />}
      <fieldset aria-label={labels.filter} className="flex flex-wrap gap-1">
        <Button
          tone="quiet"
          className="order-last ml-auto"
          icon={<ChartColumn size={14} aria-hidden />}
          aria-pressed={charts}
          onClick={() => onCharts(!charts)}
        >
          {labels.charts.show}
        </Button>
        {batchFilters.map((one) => (
          <Button key={one} tone="quiet" aria-pressed={one === filter} onClick={() => onFilter(one)}>
            {labels.counted(labels.filters[one], countShown(counts, one))}
          </Button>
        ))}
      </fieldset>
    </header>
  )
}

function Results({ folder }: { folder: string }): ReactNode {
  const updateUi = useUpdateUi()
  const file = `${folder}results.jsonl` as VirtualPath
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-muted text-xs">
      <span className="font-mono [overflow-wrap:anywhere]">{labels.results(folder)}</span>
      <Button tone="quiet" onClick={() => updateUi((ui) => openFile(ui, file))}>
        {labels.openResults}
      </Button>
    </p>
  )
}

function Bar({ counts: { total, ended, ok } }: { counts: BatchCounts }): ReactNode {
  const share = (count: number): string => `${(count / Math.max(total, 1)) * 100}%`
  return (
    <div
      role="progressbar"
      aria-label={labels.progress}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={ended}
      aria-valuetext={labels.progressText(ended, total)}
      className="flex h-1.5 overflow-hidden rounded-full bg-hover forced-color-adjust-none forced-colors:border forced-colors:border-[CanvasText] forced-colors:bg-[Canvas]"
    >
      <div className="bg-good forced-colors:bg-[CanvasText]" style={{ width: share(ok) }} />
      <div className="bg-bad forced-colors:bg-[GrayText]" style={{ width: share(ended - ok) }} />
    </div>
  )
}

function Figures({ batch, call, counts }: Pick<BatchHeaderProps, 'batch' | 'call' | 'counts'>): ReactNode {
  const live = useApp((state) => state.live.batches.get(outputKey(batch.threadId, batch.callId)))
  const { ok, failed, skipped, cancelled, working, queued, paused, needs_you: needsYou } = counts
  const took = callDuration(call)
  const figures = [
    labels.done(ok),
    failed > 0 && labels.failed(failed),
    skipped > 0 && labels.skipped(skipped),
    cancelled > 0 && labels.stopped(cancelled),
    working > 0 && labels.working(working),
    needsYou > 0 && labels.needsYou(needsYou),
    queued + paused > 0 && labels.queued(queued + paused),
    live?.perMinute && labels.rate(formatCount(Math.round(live.perMinute))),
    live?.leftMs && labels.left(formatDuration(Math.ceil(live.leftMs / 1000) * 1000)),
    took !== null && labels.took(formatDuration(took)),
    formatMoney(counts.cost),
  ]
  return (
    <ul className="flex flex-wrap gap-x-3 text-muted text-xs tabular-nums">
      {figures.map((figure) => figure && <li key={figure}>{figure}</li>)}
    </ul>
  )
}

interface BatchActions {
  readonly command: Command
  retry(): Promise<void>
  mergeClean(): Promise<void>
  stop(): Promise<void>
}

/** The commands for a whole batch. */
function useBatchActions({ threadId, callId }: BatchKey): BatchActions {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const call = { projectId, threadId, callId }
  const agents = useAppList((state) => subagentsOf(state, threadId))
  const nameOf = (handle: string): string => agents.find(({ parent }) => parent?.handle === handle)?.agent ?? handle

  return {
    command,
    retry: async () => {
      if (await command.run(() => client.batches.retry(call))) toastNote(labels.retried)
    },
    mergeClean: async () => {
      await command.run(async () => {
        const { sequences, left } = await client.batches.mergeClean(call)
        const detail = left.length > 0 ? labels.leftBranches(left.map(nameOf)) : undefined
        if (sequences.length === 0) toastNote(detail ?? labels.mergedNothing)
        else offerUndo(labels.merged(sequences.length), sequences, detail)
      })
    },
    stop: async () => void (await command.run(() => client.batches.stop(call))),
  }
}
