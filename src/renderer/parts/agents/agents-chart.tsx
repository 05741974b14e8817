import { type ReactNode, useMemo } from 'react'
import type { ThreadId } from '#shared/model/ids.ts'
import { formatCount, formatElapsed } from '#shared/text/format.ts'
import { useAppSlowly } from '../../state/hooks/hooks.tsx'
import { agentLoad } from '../../state/store/agent-load.ts'
import { strings } from '../../strings/strings.ts'
import { BarChart } from '../../ui/chart/bar-chart.tsx'
import { ChartFrame, Legend } from '../../ui/chart/chart-frame.tsx'

const labels = strings.batches.charts
const places = 48

interface AgentsChartProps {
  readonly threads: readonly ThreadId[]
  /** When the last of them ended, in milliseconds since the Unix epoch; null while one of them works. */
  readonly endedAt: number | null
}

/** How many of these agents worked, waited for the person or were queued, over time. */
export function AgentsChart({ threads, endedAt }: AgentsChartProps): ReactNode {
  const activities = useAppSlowly((state) => state.timeline.activities)
  const load = useMemo(() => {
    const lists = threads.flatMap((id) => {
      const list = activities.get(id)
      return list ? [list] : []
    })
    const last = lists.reduce((latest, list) => Math.max(latest, list.at(-1)?.at ?? 0), 0)
    return agentLoad(lists, endedAt ?? Math.max(Date.now(), last), places)
  }, [threads, activities, endedAt])
  const first = load[0]
  const last = load.at(-1)
  const after = (at: number): string => formatElapsed(at - (first?.at ?? at))
  const kinds = (
    [
      ['working', 'accent'],
      ['waiting', 'warn'],
      ['queued', 'muted'],
    ] as const
  ).filter(([kind]) => load.some((moment) => moment[kind] > 0))
  return (
    <ChartFrame
      title={labels.agents}
      empty={labels.agentsEmpty}
      columns={[labels.time, labels.working, labels.waiting, labels.queued]}
      rows={load.map(({ at, working, waiting, queued }) => [after(at), ...[working, waiting, queued].map(String)])}
    >
      {first && last && (
        <>
          <BarChart
            label={labels.keys(labels.agents)}
            tones={['accent', 'warn', 'muted']}
            format={formatCount}
            whole
            ends={[after(first.at), after(last.at)]}
            bars={load.map(({ at, working, waiting, queued }) => ({
              parts: [working, waiting, queued],
              text: labels.agentsAt(after(at), working, waiting, queued),
            }))}
          />
          <Legend items={kinds.map(([kind, tone]) => ({ label: labels[kind], tone }))} />
        </>
      )}
    </ChartFrame>
  )
}
