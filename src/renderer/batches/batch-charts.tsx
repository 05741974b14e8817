import { type ReactNode, useMemo } from 'react'
import type { BatchRow } from '#shared/model/derived/batch.ts'
import { formatCount, formatDuration, formatElapsed, formatMoney } from '#shared/text/format.ts'
import { AgentsChart } from '../parts/agents/agents-chart.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { BarChart } from '../ui/chart/bar-chart.tsx'
import { ChartFrame } from '../ui/chart/chart-frame.tsx'
import { LineChart } from '../ui/chart/line-chart.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { durationRanges, type EndsAt, endsOverTime, failureCauses, medianDuration } from './batch-series.ts'

const labels = strings.batches.charts

interface BatchChartsProps {
  readonly rows: readonly BatchRow[]
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  readonly running: boolean
}

/** A batch in pictures: how long, how fast, how much, what failed, and how many agents at a time. */
export function BatchCharts({ rows, startedAt, running }: BatchChartsProps): ReactNode {
  const ends = useMemo(() => endsOverTime(rows, startedAt), [rows, startedAt])
  const threads = useMemo(() => rows.flatMap(({ thread }) => thread?.id ?? []), [rows])
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,9.5rem),1fr))] gap-x-5 gap-y-2 border-line border-b bg-canvas px-3 py-2">
      <Durations rows={rows} />
      <Ends ends={ends} startedAt={startedAt} />
      <CostOverTime ends={ends} startedAt={startedAt} />
      <AgentsChart threads={threads} endedAt={running ? null : (ends.at(-1)?.at ?? null)} />
      {rows.some(({ status }) => status === 'failed' || status === 'skipped') && <Causes rows={rows} />}
    </div>
  )
}

function Durations({ rows }: { rows: readonly BatchRow[] }): ReactNode {
  const ranges = useMemo(() => durationRanges(rows), [rows])
  const median = useMemo(() => medianDuration(rows), [rows])
  const nameOf = ({ from, to }: (typeof ranges)[number]): string =>
    labels.range(from === 0 ? '0' : formatDuration(from), formatDuration(to))
  const last = ranges.at(-1)
  return (
    <ChartFrame
      title={labels.durations}
      empty={labels.durationsEmpty}
      aside={median === null ? undefined : labels.median(formatDuration(median))}
      columns={[labels.duration, labels.count]}
      rows={ranges.map((range) => [nameOf(range), String(range.count)])}
    >
      <BarChart
        label={labels.keys(labels.durations)}
        tones={['accent']}
        format={formatCount}
        whole
        ends={['0', last ? formatDuration(last.to) : '']}
        bars={ranges.map((range) => ({ parts: [range.count], text: labels.inRange(nameOf(range), range.count) }))}
      />
    </ChartFrame>
  )
}

interface OverTimeProps {
  readonly ends: readonly EndsAt[]
  readonly startedAt: number
}

function Ends({ ends, startedAt }: OverTimeProps): ReactNode {
  const after = (at: number): string => formatElapsed(at - startedAt)
  return (
    <ChartFrame
      title={labels.ends}
      empty={labels.endsEmpty}
      columns={[labels.time, labels.ok, labels.notOk]}
      rows={ends.map(({ at, ok, notOk }) => [after(at), String(ok), String(notOk)])}
    >
      <BarChart
        label={labels.keys(labels.ends)}
        tones={['good', 'bad']}
        format={formatCount}
        whole
        ends={[after(startedAt), after(ends.at(-1)?.at ?? startedAt)]}
        bars={ends.map(({ at, ok, notOk }) => ({
          parts: [ok, notOk],
          text: labels.endedAt(after(at), ok, notOk),
        }))}
      />
    </ChartFrame>
  )
}

function CostOverTime({ ends, startedAt }: OverTimeProps): ReactNode {
  const after = (at: number): string => formatElapsed(at - startedAt)
  const [settings] = useQuery('settings.get', undefined)
  const budget = settings.value?.budgets.batch ?? null
  const texts = ends.map(({ at, cost }) => labels.costAt(after(at), formatMoney(cost)))
  return (
    <ChartFrame
      title={labels.cost}
      empty={labels.costEmpty}
      aside={budget === null ? labels.noBudget : labels.budget(formatMoney(budget))}
      columns={[labels.time, strings.batches.cost]}
      rows={ends.map(({ at, cost }) => [after(at), formatMoney(cost)])}
    >
      <LineChart
        label={labels.keys(labels.cost)}
        texts={texts}
        limit={budget}
        format={formatMoney}
        ends={[after(startedAt), formatMoney(ends.at(-1)?.cost ?? null)]}
        lines={[{ label: strings.batches.cost, tone: 'accent', values: ends.map(({ cost }) => cost) }]}
      />
    </ChartFrame>
  )
}

const causesShown = 4

/** Words say more than bars here, so the list is the chart. */
function Causes({ rows }: { rows: readonly BatchRow[] }): ReactNode {
  const causes = useMemo(() => failureCauses(rows), [rows])
  const [{ count: highest } = { count: 1 }] = causes
  return (
    <ChartFrame
      className="col-span-full"
      title={labels.causes}
      empty=""
      columns={[labels.cause, labels.count]}
      rows={causes.map(({ cause, count }) => [cause, String(count)])}
    >
      <ol
        aria-hidden
        className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,18rem),1fr))] gap-x-5 gap-y-1 text-xs"
      >
        {causes.slice(0, causesShown).map(({ cause, count }) => (
          <li key={cause} title={cause} className="relative flex items-baseline gap-2 px-1">
            <svg aria-hidden className="absolute inset-0 size-full">
              <rect
                width={`${(count / highest) * 100}%`}
                height="100%"
                rx={3}
                className="fill-bad-soft forced-colors:fill-[Canvas] forced-colors:stroke-[CanvasText]"
              />
            </svg>
            <span className="relative min-w-0 truncate">
              <VisibleText text={cause} />
            </span>
            <span className="relative ml-auto shrink-0 tabular-nums">{count}</span>
          </li>
        ))}
      </ol>
    </ChartFrame>
  )
}
