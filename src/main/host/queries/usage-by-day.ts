import type { LogReader } from '#core/journal/project-log.ts'
import type { DayUsage } from '#shared/contract/views/usage.ts'
import { addUsage, noUsage, type Usage } from '#shared/model/usage.ts'

/**
 * Sums the requests of all threads by day and model, deleted threads and rewound requests included, because they were
 * paid for. `starts` are ascending. Requests before the first one are left out.
 */
export function usageByDay(log: Pick<LogReader, 'entries'>, starts: readonly number[]): readonly DayUsage[] {
  const days = starts.map((start) => ({ start, models: new Map<string, Usage>() }))
  for (const entry of log.entries(['usage'])) {
    if (entry.type !== 'usage') continue
    const day = days.findLast(({ start }) => start <= entry.at)
    day?.models.set(entry.model, addUsage(day.models.get(entry.model) ?? noUsage, entry.usage))
  }
  return days.map(({ start, models }) => ({ start, models: [...models].map(([model, usage]) => ({ model, usage })) }))
}
