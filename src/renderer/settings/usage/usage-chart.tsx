import { type ReactNode, useMemo } from 'react'
import { addUsage, noUsage, tokensOf, type Usage } from '#shared/model/models/usage.ts'
import { formatCount, formatDay, formatMoney } from '#shared/text/format.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { modelName } from '../../state/store/selectors.ts'
import { usageStrings as labels, type UsageRange } from '../../strings/later/usage.ts'
import { strings } from '../../strings/strings.ts'
import { BarChart } from '../../ui/chart/bar-chart.tsx'
import { ChartFrame, type ChartTone, Legend } from '../../ui/chart/chart-frame.tsx'
import { withKeys } from '../../ui/react/elements.tsx'
import type { Stack, StackedRow } from './scoped-usage.ts'
import { type Bin, binDays, type UsageMeasure, usageSeries } from './usage-series.ts'
import { costText } from './usage-totals.tsx'

const tones: readonly ChartTone[] = ['first', 'second', 'third', 'fourth', 'fifth']

interface UsageChartProps {
  readonly rows: readonly StackedRow[]
  readonly days: readonly number[]
  readonly measure: UsageMeasure
  readonly stack: Stack
  readonly range: UsageRange
  readonly isLoading: boolean
  /** True when nothing was ever used, as far as it is known. */
  readonly isNew: boolean
  /** Chooses by what the bars are divided. */
  readonly choice: ReactNode
}

/** What each day cost, as bars with a part for each model, agent type or project. */
export function UsageChart(props: UsageChartProps): ReactNode {
  const { rows, days, measure, stack, range, isLoading, isNew, choice } = props
  const { size, bins } = useMemo(() => binDays(days, rows), [days, rows])
  const series = useMemo(() => usageSeries(rows, bins, measure, tones.length), [rows, bins, measure])
  const info = useApp((state) => state.info)
  const amount = (value: number): string => (measure === 'cost' ? formatMoney(value) : formatCount(value))
  const nameOf = (name: string | null): string => {
    if (name === null) return labels.others[stack]
    return stack === 'model' ? modelName({ info }, name) : name
  }
  const title = labels.chart[size]
  /** An amount in words, in which an unknown cost is no number. */
  const say = (usage: Usage): string => (measure === 'cost' ? costText(usage) : formatCount(tokensOf(usage)))
  const totals = bins.map((_, place) => series.map(({ usages }) => usages[place] ?? noUsage).reduce(addUsage, noUsage))
  const describe = (place: number): string =>
    series
      .flatMap(({ name, usages }) => {
        const usage = usages[place] ?? noUsage
        return usage.modelCalls === 0 ? [] : [`${nameOf(name)} ${say(usage)}`]
      })
      .join(', ')
  return (
    <div className="flex flex-col gap-2">
      {choice}
      <ChartFrame
        title={title}
        empty={isLoading ? strings.common.loading : isNew ? labels.empty : labels.emptyRange}
        aside={
          series.length > 0 ? labels.inRange(say(totals.reduce(addUsage, noUsage)), labels.ranges[range]) : undefined
        }
        columns={[labels.columns[size], ...series.map(({ name }) => nameOf(name)), labels.total]}
        rows={
          series.length === 0
            ? []
            : bins.map((bin, place) => [
                nameBin(bin),
                ...series.map(({ usages }) => say(usages[place] ?? noUsage)),
                say(totals[place] ?? noUsage),
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
              (totals[place] ?? noUsage).modelCalls === 0 ? labels.nothing : say(totals[place] ?? noUsage),
              series.length > 1 ? describe(place) : '',
            ),
          }))}
        />
        <Legend
          items={withKeys(series).map(({ item: { name, usage } }, place) => ({
            label: nameOf(name),
            tone: tones[place] ?? 'muted',
            value: say(usage),
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
