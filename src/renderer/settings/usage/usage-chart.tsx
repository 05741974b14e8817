import { type ReactNode, useMemo } from 'react'
import { formatCount, formatDay, formatMoney } from '#shared/text/format.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { modelName } from '../../state/store/selectors.ts'
import { usageStrings as labels, type UsageRange } from '../../strings/later/usage.ts'
import { strings } from '../../strings/strings.ts'
import { BarChart } from '../../ui/chart/bar-chart.tsx'
import { ChartFrame, type ChartTone, Legend } from '../../ui/chart/chart-frame.tsx'
import { withKeys } from '../../ui/react/elements.tsx'
import type { Stack, StackedRow } from './scoped-usage.ts'
import { type Bin, binDays, sum, type UsageMeasure, usageSeries } from './usage-series.ts'

const tones: readonly ChartTone[] = ['first', 'second', 'third', 'fourth', 'fifth']

interface UsageChartProps {
  readonly rows: readonly StackedRow[]
  readonly days: readonly number[]
  readonly measure: UsageMeasure
  readonly stack: Stack
  readonly range: UsageRange
  readonly isLoading: boolean
  /** Chooses by what the bars are divided. */
  readonly choice: ReactNode
}

/** What each day cost, as bars with a part for each model, agent type or project. */
export function UsageChart({ rows, days, measure, stack, range, isLoading, choice }: UsageChartProps): ReactNode {
  const { size, bins } = useMemo(() => binDays(days, rows), [days, rows])
  const series = useMemo(() => usageSeries(rows, bins, measure, tones.length), [rows, bins, measure])
  const info = useApp((state) => state.info)
  const amount = (value: number): string => (measure === 'cost' ? formatMoney(value) : formatCount(value))
  const nameOf = (name: string | null): string => {
    if (name === null) return labels.others[stack]
    return stack === 'model' ? modelName({ info }, name) : name
  }
  const title = labels.chart[size]
  const totals = bins.map((_, place) => sum(series.map(({ values }) => values[place] ?? 0)))
  const describe = (place: number): string =>
    series
      .filter(({ values }) => (values[place] ?? 0) > 0)
      .map(({ name, values }) => `${nameOf(name)} ${amount(values[place] ?? 0)}`)
      .join(', ')
  const empty = range === 'all' ? labels.empty : rows.length === 0 ? labels.emptyRange : ''
  return (
    <div className="flex flex-col gap-1">
      {choice}
      <ChartFrame
        title={title}
        empty={isLoading ? strings.common.loading : empty}
        aside={series.length > 0 ? labels.inRange(amount(sum(totals)), labels.ranges[range]) : undefined}
        columns={[labels.columns[size], ...series.map(({ name }) => nameOf(name)), labels.total]}
        rows={
          series.length === 0
            ? []
            : bins.map((bin, place) => [
                nameBin(bin),
                ...series.map(({ values }) => amount(values[place] ?? 0)),
                amount(totals[place] ?? 0),
              ])
        }
      >
        <BarChart
          height={120}
          format={amount}
          label={labels.keys(title)}
          tones={tones}
          ends={[nameBin(bins[0]), nameBin(bins.at(-1))]}
          bars={bins.map((bin, place) => ({
            parts: series.map(({ values }) => values[place] ?? 0),
            text: labels.onDay(
              nameBin(bin),
              totals[place] === 0 ? labels.nothing : amount(totals[place] ?? 0),
              series.length > 1 ? describe(place) : '',
            ),
          }))}
        />
        <Legend
          items={withKeys(series).map(({ item: { name, values } }, place) => ({
            label: nameOf(name),
            tone: tones[place] ?? 'muted',
            value: amount(sum(values)),
          }))}
        />
      </ChartFrame>
    </div>
  )
}

function nameBin(bin: Bin | undefined): string {
  const [first = 0, last = first] = [bin?.days[0], bin?.days.at(-1)]
  if (first === last) return nameDay(first)
  return first === 0 ? labels.earlier : labels.days(first, last)
}

/** The day 0 stands for everything before the days that are told apart. */
function nameDay(day: number): string {
  return day === 0 ? labels.earlier : formatDay(day)
}
