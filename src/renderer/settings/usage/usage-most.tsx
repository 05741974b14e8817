import { type ReactNode, useMemo } from 'react'
import { noUsage } from '#shared/model/models/usage.ts'
import { formatCount } from '#shared/text/format.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { modelName } from '../../state/store/selectors.ts'
import { usageStrings as labels } from '../../strings/later/usage.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { nameGroup } from './name-group.ts'
import { groupScoped, type ScopedUsage } from './scoped-usage.ts'
import { amountOf, type UsageMeasure } from './usage-series.ts'
import { costText } from './usage-totals.tsx'

interface UsageMostProps {
  readonly usage: ScopedUsage
  readonly measure: UsageMeasure
}

/** Which models, and which agents or projects, used most. */
export function UsageMost(props: UsageMostProps): ReactNode {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,16rem),1fr))] gap-5">
      <MostList {...props} by="model" />
      <MostList {...props} by={props.usage.scope === 'all' ? 'project' : 'agent'} />
    </div>
  )
}

const shown = 6

/** Names say more than bars here, so a list with its figures is the chart. */
function MostList({ usage, measure, by }: UsageMostProps & { readonly by: keyof typeof labels.most }): ReactNode {
  const info = useApp((state) => state.info)
  const groups = useMemo(
    () => groupScoped(usage, by).toSorted((a, b) => amountOf(b.usage, measure) - amountOf(a.usage, measure)),
    [usage, measure, by],
  )
  const highest = Math.max(amountOf(groups[0]?.usage ?? noUsage, measure), Number.MIN_VALUE)
  return (
    <section aria-label={labels.most[by]} className="flex min-w-0 flex-col gap-1">
      <h3 className="font-semibold text-xs">{labels.most[by]}</h3>
      <ol className="flex flex-col gap-1 text-xs">
        {groups.slice(0, shown).map((group) => {
          const name = nameGroup(group, by, (id) => modelName({ info }, id))
          const amount = amountOf(group.usage, measure)
          return (
            <li
              key={group.key}
              title={group.thread === null ? name : `${name} · ${group.thread}`}
              className="relative flex items-baseline gap-2 px-1.5 py-0.5"
            >
              <svg aria-hidden className="absolute inset-0 size-full">
                <rect
                  width={`${(amount / highest) * 100}%`}
                  height="100%"
                  rx={3}
                  className="fill-accent-soft forced-colors:fill-[Canvas] forced-colors:stroke-[CanvasText]"
                />
              </svg>
              <span className="relative min-w-0 truncate">
                <VisibleText text={name} />
                {group.thread !== null && (
                  <span className="text-muted">
                    {' '}
                    <VisibleText text={group.thread} />
                  </span>
                )}
              </span>
              <span className="relative ml-auto shrink-0 tabular-nums">
                {measure === 'cost' ? costText(group.usage) : formatCount(amount)}
              </span>
            </li>
          )
        })}
        {groups.length > shown && <li className="px-1.5 text-muted">{labels.more(groups.length - shown)}</li>}
      </ol>
    </section>
  )
}
