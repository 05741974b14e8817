import type { ReactNode } from 'react'
import { totalUsage } from '#shared/model/derived/usage-groups.ts'
import {
  cachedShareOf,
  inputOf,
  knownCostOf,
  tokensOf,
  type Usage,
  unpricedTokensOf,
} from '#shared/model/models/usage.ts'
import { formatCount, formatMoney, formatNumber, formatPercent } from '#shared/text/format.ts'
import { usageStrings as labels } from '../../strings/later/usage.ts'
import type { StackedRow } from './scoped-usage.ts'

/** The sums of everything shown, and which part of it has no price. */
export function UsageTotals({ rows }: { readonly rows: readonly StackedRow[] }): ReactNode {
  const total = totalUsage(rows)
  const share = cachedShareOf(total)
  const unpriced = unpricedTokensOf(total)
  const figures = [
    [labels.cost, costText(total), ''],
    [labels.tokens, formatCount(tokensOf(total)), labels.tokensHint(inputOf(total), total.outputTokens)],
    [
      labels.cached,
      share === null ? labels.noShare : formatPercent(share),
      share === null ? '' : labels.cachedHint(total.cacheReadTokens),
    ],
    [labels.calls, formatNumber(total.modelCalls), ''],
  ] as const
  return (
    <section aria-label={labels.totals} className="flex flex-col gap-2">
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,8rem),1fr))] gap-2">
        {figures.map(([name, figure, hint]) => (
          <div key={name} className="rounded-lg border border-line px-3 py-2">
            <dt className="text-muted text-xs">{name}</dt>
            <dd className="font-semibold text-base tabular-nums">
              {figure}
              {hint !== '' && <span className="block font-normal text-muted text-xs">{hint}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {unpriced > 0 && <p className="text-muted text-xs">{labels.priceUnknown(unpriced)}</p>}
    </section>
  )
}

/** The cost as far as it is known. An unknown cost is never a number, and a known part below a cent says nothing. */
export function costText(usage: Usage): string {
  if (usage.cost !== null) return formatMoney(usage.cost)
  const known = knownCostOf(usage)
  return known < 0.01 ? labels.unknown : labels.atLeast(formatMoney(known))
}
