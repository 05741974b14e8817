import { lastDays } from '#shared/base/days.ts'
import { addUsage, knownCostOf, noUsage, tokensOf, type Usage } from '#shared/model/usage.ts'
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
  /** One value for each bin. */
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
  const parts = new Map<string, { usage: Usage; readonly values: number[] }>()
  for (const { day, name, usage } of rows) {
    const part = parts.get(name) ?? { usage: noUsage, values: bins.map(() => 0) }
    parts.set(name, part)
    part.usage = addUsage(part.usage, usage)
    const place = places.get(day)
    if (place !== undefined) part.values[place] = (part.values[place] ?? 0) + amountOf(usage, measure)
  }
  const sorted = [...parts]
    .map(([name, part]): UsageSeries => ({ name, ...part }))
    .sort((a, b) => sum(b.values) - sum(a.values))
  if (sorted.length <= named) return sorted
  const rest = sorted.slice(named - 1).reduce(
    (all, { usage, values }): UsageSeries => ({
      name: null,
      usage: addUsage(all.usage, usage),
      values: values.map((value, place) => value + (all.values[place] ?? 0)),
    }),
    { name: null, usage: noUsage, values: bins.map(() => 0) },
  )
  return [...sorted.slice(0, named - 1), rest]
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
