import { lastDays } from '#shared/base/days.ts'
import { addUsage, knownCostOf, noUsage, tokensOf, type Usage } from '#shared/model/models/usage.ts'
import type { UsageRange } from '../../strings/later/usage.ts'
import type { StackedRow } from './scoped-usage.ts'

export type UsageMeasure = 'cost' | 'tokens'

/** Days that are told apart where all time is shown, about four years. */
const longest = 1_500

/**
 * The beginnings of the days of a range, ascending. A range without a beginning starts with 0, for everything before the
 * days that are told apart.
 */
export function daysOf(range: UsageRange, now: number): readonly number[] {
  return range === 'all' || range === 'thread' ? [0, ...lastDays(now, longest)] : lastDays(now, Number(range))
}

/** A part of the chart with all that it used, or several that are drawn as one. */
export interface UsageSeries {
  /** Null for all parts beyond the named ones. */
  readonly name: string | null
  readonly usage: Usage
  /** One for each bin. */
  readonly usages: readonly Usage[]
  /** What is drawn of each bin. */
  readonly values: readonly number[]
}

/** The parts of some rows, the one that used most first. Parts after the first `named` are one series. */
export function usageSeries(
  rows: readonly StackedRow[],
  bins: readonly Bin[],
  measure: UsageMeasure,
  named: number,
): readonly UsageSeries[] {
  const places = new Map(bins.flatMap(({ days }, place) => days.map((day) => [day, place] as const)))
  const parts = new Map<string, Usage[]>()
  for (const { day, name, usage } of rows) {
    const usages = parts.get(name) ?? bins.map(() => noUsage)
    parts.set(name, usages)
    const place = places.get(day)
    if (place !== undefined) usages[place] = addUsage(usages[place] ?? noUsage, usage)
  }
  const sorted = [...parts]
    .map(([name, usages]) => seriesOf(name, usages, measure))
    .sort((a, b) => sum(b.values) - sum(a.values))
  if (sorted.length <= named) return sorted
  const rest = sorted.slice(named - 1)
  const joined = bins.map((_, place) => rest.map(({ usages }) => usages[place] ?? noUsage).reduce(addUsage, noUsage))
  return [...sorted.slice(0, named - 1), seriesOf(null, joined, measure)]
}

function seriesOf(name: string | null, usages: readonly Usage[], measure: UsageMeasure): UsageSeries {
  return {
    name,
    usage: usages.reduce(addUsage, noUsage),
    usages,
    values: usages.map((usage) => amountOf(usage, measure)),
  }
}

/** Days that are drawn as one bar, by their beginnings. */
export interface Bin {
  readonly days: readonly number[]
}

export type BinSize = 'day' | 'week' | 'month'

const mostBars = 92
const daysIn: Readonly<Record<BinSize, number>> = { day: 1, week: 7, month: 28 }

/**
 * The days as bars, so few that each can be seen. Without a beginning they start with the first day that has rows. The
 * last bar ends today.
 */
export function binDays(
  days: readonly number[],
  rows: readonly StackedRow[],
): { readonly size: BinSize; readonly bins: readonly Bin[] } {
  const used = rows.reduce((first, { day }) => Math.min(first, day), Number.POSITIVE_INFINITY)
  const from = days[0] === 0 ? days.findIndex((day) => day >= used) : 0
  const shown = from < 0 ? days.slice(-1) : days.slice(from)
  const size = shown.length <= mostBars ? 'day' : shown.length <= mostBars * daysIn.week ? 'week' : 'month'
  const length = daysIn[size]
  const count = Math.ceil(shown.length / length)
  return {
    size,
    bins: Array.from({ length: count }, (_, place) => {
      const end = shown.length - (count - 1 - place) * length
      return { days: shown.slice(Math.max(0, end - length), end) }
    }),
  }
}

/** Money of an unknown price is left out. */
export function amountOf(usage: Usage, measure: UsageMeasure): number {
  return measure === 'tokens' ? tokensOf(usage) : knownCostOf(usage)
}

export function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0)
}
