import type { ReactNode } from 'react'
import { addUsage, noUsage, type Usage } from '#shared/model/models/usage.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { formatCount, formatMoney } from '#shared/text/format.ts'
import { useApp, useAppList } from '../state/hooks/hooks.tsx'
import { activeSpenders, modelName } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { reachable } from '../ui/react/elements.tsx'

const labels = strings.context.usage

/** The tokens and money that the open thread and its subagents have used so far, by agent and model. */
export function UsageTable(): ReactNode {
  const spending = spendingOf(useAppList(activeSpenders))
  if (spending.length === 0) return null
  const total = spending.map(({ usage }) => usage).reduce(addUsage, noUsage)
  return (
    <section aria-label={labels.title}>
      <h3 className="mt-4 mb-1 font-semibold">{labels.title}</h3>
      <div {...reachable} className="overflow-x-auto">
        <table className="w-full whitespace-nowrap tabular-nums">
          <thead>
            <tr className="border-line border-b text-left text-muted text-xs">
              <th className="py-1 font-normal">{labels.agent}</th>
              <th className="px-2 font-normal">{labels.model}</th>
              {labels.columns.map((column) => (
                <th key={column} className="px-2 text-right font-normal last:pr-0">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {spending.map(({ agent, model, usage }) => (
              <Row key={`${agent} ${model}`} agent={agent} model={model} usage={usage} />
            ))}
            {spending.length > 1 && <Row agent={labels.total} model="" usage={total} />}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Row({ agent, model, usage }: { agent: string; model: string; usage: Usage }): ReactNode {
  const name = useApp((state) => modelName(state, model))
  const counts = [
    usage.modelCalls,
    usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    usage.cacheReadTokens,
    usage.outputTokens,
  ]
  return (
    <tr className="border-line not-last:border-b">
      <th scope="row" className="py-1 text-left font-normal">
        <VisibleText text={agent} />
      </th>
      <td title={model} className="px-2">
        {name}
      </td>
      {counts.map((count, index) => (
        <td key={labels.columns[index]} className="px-2 text-right">
          {formatCount(count)}
        </td>
      ))}
      <td className="text-right">{formatMoney(usage.cost)}</td>
    </tr>
  )
}

/** The spending of all agents with one name on one model. */
interface Spending {
  readonly agent: string
  readonly model: string
  readonly usage: Usage
}

/** The spending of a family of threads by agent and model, in the order they began. */
export function spendingOf(family: readonly Pick<ThreadState, 'agent' | 'usageByModel'>[]): readonly Spending[] {
  const byKey = new Map<string, Spending>()
  for (const { agent, usageByModel } of family) {
    for (const [model, usage] of usageByModel.entries()) {
      const key = `${agent}\n${model}`
      byKey.set(key, { agent, model, usage: addUsage(byKey.get(key)?.usage ?? noUsage, usage) })
    }
  }
  return [...byKey.values()]
}
