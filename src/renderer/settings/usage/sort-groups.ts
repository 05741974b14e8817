import type { UsageGroup } from '#shared/model/derived/usage-groups.ts'
import { cachedShareOf, inputOf, knownCostOf } from '#shared/model/models/usage.ts'

export const usageColumns = ['name', 'calls', 'input', 'cached', 'output', 'cost'] as const
export type UsageColumn = (typeof usageColumns)[number]

export interface UsageOrder {
  /** Null keeps the order of the groups. */
  readonly column: UsageColumn | null
  readonly down: boolean
}

const figureOf: Readonly<Record<Exclude<UsageColumn, 'name'>, (group: UsageGroup) => number>> = {
  calls: ({ usage }) => usage.modelCalls,
  input: ({ usage }) => inputOf(usage),
  cached: ({ usage }) => cachedShareOf(usage) ?? -1,
  output: ({ usage }) => usage.outputTokens,
  cost: ({ usage }) => knownCostOf(usage),
}

/** Sorts groups by a column. Equal ones keep their order. `nameOf` gives the text of the first column. */
export function sortGroups(
  groups: readonly UsageGroup[],
  { column, down }: UsageOrder,
  nameOf: (group: UsageGroup) => string,
): readonly UsageGroup[] {
  if (column === null) return groups
  const sign = down ? -1 : 1
  if (column !== 'name') return groups.toSorted((a, b) => sign * (figureOf[column](a) - figureOf[column](b)))
  // Days are named by month, so their names do not sort.
  return groups.toSorted((a, b) => sign * ((a.day ?? 0) - (b.day ?? 0) || nameOf(a).localeCompare(nameOf(b))))
}
