import { type ReactNode, useMemo, useState } from 'react'
import { addUsage, noUsage } from '#shared/model/usage.ts'
import { formatCount, formatDay, formatMoney } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { BarChart } from '../ui/chart/bar-chart.tsx'
import { ChartFrame, type ChartTone, Legend } from '../ui/chart/chart-frame.tsx'
import { Button } from '../ui/controls/button.tsx'
import { withKeys } from '../ui/react/elements.tsx'
import { amountOf, lastDays, sum, type UsageMeasure, usageSeries } from './usage-series.ts'

const labels = strings.usage
const measures = ['cost', 'tokens'] as const
const tones: readonly ChartTone[] = ['first', 'second', 'third', 'fourth', 'fifth']
const daysShown = 30

/** What the project's threads used in the last days, by model: in money or in tokens. */
export function UsageByDay(): ReactNode {
  const project = useApp((state) => state.projectInfo)
  const sequence = useApp((state) => state.project.sequence)
  const [starts] = useState(() => lastDays(Date.now(), daysShown))
  const [measure, setMeasure] = useState<UsageMeasure>('cost')
  const [days] = useQuery('usage.byDay', project && { projectId: project.id, starts: [...starts] }, sequence)
  const series = useMemo(() => usageSeries(days.value ?? [], measure, tones.length), [days.value, measure])
  const amount = (value: number): string => (measure === 'cost' ? formatMoney(value) : formatCount(value))
  const models = useApp((state) => state.info?.provider.models)
  const nameOf = (model: string | null): string =>
    model === null ? labels.others : (models?.find(({ id }) => id === model)?.name ?? model)
  if (!project) return <p className="text-muted">{labels.noProject}</p>
  if (days.state === 'failed') return <RefusalNotice refusal={days.refusal} />
  const totals = starts.map((_, place) => sum(series.map(({ values }) => values[place] ?? 0)))
  const used = series.reduce((all, { usage }) => addUsage(all, usage), noUsage)
  const describe = (place: number): string =>
    series
      .filter(({ values }) => (values[place] ?? 0) > 0)
      .map(({ model, values }) => `${nameOf(model)} ${amount(values[place] ?? 0)}`)
      .join(', ')
  return (
    <section aria-label={labels.byDay} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto text-muted">{labels.byDayAbout(project.name)}</p>
        <fieldset aria-label={labels.show} className="flex gap-1">
          {measures.map((one) => (
            <Button key={one} tone="quiet" aria-pressed={one === measure} onClick={() => setMeasure(one)}>
              {labels[one]}
            </Button>
          ))}
        </fieldset>
      </div>
      <ChartFrame
        title={labels.byDay}
        empty={days.value === null ? strings.common.loading : labels.empty}
        aside={series.length > 0 ? labels.inDays(amount(amountOf(used, measure))) : undefined}
        columns={[labels.day, ...series.map(({ model }) => nameOf(model)), labels.total]}
        rows={
          series.length === 0
            ? []
            : starts.map((start, place) => [
                formatDay(start),
                ...series.map(({ values }) => amount(values[place] ?? 0)),
                amount(totals[place] ?? 0),
              ])
        }
      >
        <BarChart
          height={120}
          format={amount}
          label={labels.keys(labels.byDay)}
          tones={tones}
          ends={[formatDay(starts[0] ?? 0), formatDay(starts.at(-1) ?? 0)]}
          bars={starts.map((start, place) => ({
            parts: series.map(({ values }) => values[place] ?? 0),
            text: labels.onDay(
              formatDay(start),
              totals[place] === 0 ? labels.nothing : amount(totals[place] ?? 0),
              series.length > 1 ? describe(place) : '',
            ),
          }))}
        />
        <Legend
          items={withKeys(series).map(({ item: { model, values } }, place) => ({
            label: nameOf(model),
            tone: tones[place] ?? 'muted',
            value: amount(sum(values)),
          }))}
        />
      </ChartFrame>
      {used.cost === null && measure === 'cost' && <p className="text-muted text-xs">{labels.someUnknown}</p>}
    </section>
  )
}
