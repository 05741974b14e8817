import type { ReactNode } from 'react'
import { type AssumedPrice, assumedCost, type Usage } from '#shared/model/models/usage.ts'
import { formatMoney, formatPercent } from '#shared/text/format.ts'
import { useApp, useAppList, useUpdateUi } from '../../state/hooks/hooks.tsx'
import { activeRoot, contextShare, runUsage } from '../../state/store/selectors.ts'
import { strings } from '../../strings/strings.ts'
import { classNames } from '../../ui/react/class-names.ts'

const labels = strings.chat.used
/** From this share on, a ring has the colour of what waits for the person. */
const nearlyFull = 0.8

/** Two rings: the used part of the context outside, and of the run's budget inside. Opens *Context*. */
export function UsedRing(): ReactNode {
  const updateUi = useUpdateUi()
  const context = useApp(contextShare)
  const run = useAppList(runUsage)
  const limit = useApp((state) => activeRoot(state)?.costLimit ?? null)
  const assumed = useApp((state) => activeRoot(state)?.assumedPrice ?? null)
  const cost = costOf(run, assumed)
  const budget = limit === null || cost === null ? null : Math.min(cost / limit, 1)
  const label = labels.open([
    labels.context(context === null ? null : formatPercent(context)),
    limit === null || budget === null
      ? labels.unlimited(formatMoney(cost))
      : labels.budget(formatMoney(cost), formatMoney(limit), formatPercent(budget)),
  ])
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => updateUi((ui) => ({ ...ui, overlay: 'context' }))}
      className="flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover"
    >
      <svg viewBox="0 0 20 20" width={20} height={20} aria-hidden className="-rotate-90">
        <Ring radius={8.5} share={context ?? 0} />
        {limit !== null && <Ring radius={5} share={budget ?? 0} />}
      </svg>
    </button>
  )
}

function costOf(usage: Usage, assumed: AssumedPrice | null): number | null {
  return usage.cost === null && assumed ? assumedCost(usage, assumed) : usage.cost
}

function Ring({ radius, share }: { radius: number; share: number }): ReactNode {
  const circle = { cx: 10, cy: 10, r: radius, fill: 'none', strokeWidth: 2.5 }
  return (
    <>
      <circle {...circle} className="stroke-line-strong" />
      {share > 0 && (
        <circle
          {...circle}
          pathLength={100}
          strokeDasharray={`${Math.max(share * 100, 2)} 100`}
          className={classNames(
            'forced-colors:stroke-[Highlight]',
            share >= nearlyFull ? 'stroke-warn' : 'stroke-accent',
          )}
        />
      )}
    </>
  )
}
