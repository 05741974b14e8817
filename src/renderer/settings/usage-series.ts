import type { DayUsage } from '#shared/contract/views/usage.ts'
import { addUsage, noUsage, tokensOf, type Usage } from '#shared/model/usage.ts'

export type UsageMeasure = 'cost' | 'tokens'

/** The beginnings of the last days in the time zone of this machine, ascending; today is the last. */
export function lastDays(now: number, count: number): readonly number[] {
  const today = new Date(now)
  return Array.from({ length: count }, (_, place) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - place)).getTime(),
  )
}

/** A model with all that it used, or several that are drawn as one. */
export interface UsageSeries {
  /** Null for all models beyond the named ones. */
  readonly model: string | null
  readonly usage: Usage
  /** One value for each day. */
  readonly values: readonly number[]
}

/** The models of some days, the one that used most first. Models after the first `named` are one series. */
export function usageSeries(days: readonly DayUsage[], measure: UsageMeasure, named: number): readonly UsageSeries[] {
  const models = [...new Set(days.flatMap((day) => day.models.map(({ model }) => model)))]
  const series = models.map((model) => seriesOf(days, measure, model, [model]))
  const sorted = series.sort((a, b) => sum(b.values) - sum(a.values))
  if (sorted.length <= named) return sorted
  const rest = sorted.slice(named - 1).flatMap(({ model }) => model ?? [])
  return [...sorted.slice(0, named - 1), seriesOf(days, measure, null, rest)]
}

function seriesOf(
  days: readonly DayUsage[],
  measure: UsageMeasure,
  model: string | null,
  models: readonly string[],
): UsageSeries {
  const byDay = days.map((day) =>
    day.models.filter((one) => models.includes(one.model)).reduce((all, { usage }) => addUsage(all, usage), noUsage),
  )
  return { model, usage: byDay.reduce(addUsage, noUsage), values: byDay.map((usage) => amountOf(usage, measure)) }
}

/** Money of an unknown price is left out. */
export function amountOf(usage: Usage, measure: UsageMeasure): number {
  return measure === 'tokens' ? tokensOf(usage) : (usage.cost ?? usage.knownCost ?? 0)
}

export function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0)
}
