import type { UsageGroup } from '#shared/model/derived/usage-groups.ts'
import { formatDay } from '#shared/text/format.ts'
import { usageStrings as labels } from '../../strings/later/usage.ts'
import type { Grouping } from './scoped-usage.ts'

/** A group in words. `modelNamed` gives the name by which people know a model. */
export function nameGroup(group: UsageGroup, by: Grouping, modelNamed: (id: string) => string): string {
  const { name, day, run, batch } = group
  switch (by) {
    case 'day':
      return day === null || day === 0 ? labels.earlier : formatDay(day)
    case 'batch':
      return batch ? labels.batch(batch.tasks, batch.startedAt) : labels.noBatch
    case 'run':
      return labels.run(name ?? '', run ?? 0)
    case 'model':
      return modelNamed(name ?? '')
    default:
      return name ?? ''
  }
}
