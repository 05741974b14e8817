import { type ReactNode, useState } from 'react'
import { budgetScopes } from '#shared/contract/views/settings.ts'
import { strings } from '../strings/strings.ts'
import { SavedField } from './fields.tsx'
import type { SectionProps } from './section-props.ts'
import { UsageByDay } from './usage-by-day.tsx'

const labels = strings.usage

/** What agents have used, and what they may use. */
export function UsageSettings({ settings, change }: SectionProps): ReactNode {
  const [wrong, setWrong] = useState(false)
  function save(scope: (typeof budgetScopes)[number], text: string): void {
    const amount = readAmount(text)
    setWrong(amount === undefined)
    if (amount !== undefined) void change({ budgets: { [scope]: amount } })
  }
  return (
    <>
      <UsageByDay />
      <section aria-label={labels.budgets} className="flex flex-col gap-3">
        <h3 className="font-semibold">{labels.budgets}</h3>
        <p className="text-muted">{labels.budgetsAbout}</p>
        {wrong && (
          <p role="alert" className="text-bad">
            {labels.notAmount}
          </p>
        )}
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,16rem),1fr))] gap-4">
          {budgetScopes.map((scope) => (
            <SavedField
              key={scope}
              label={labels.budget[scope]}
              hint={labels.budgetHint[scope]}
              value={settings.budgets[scope]?.toString() ?? ''}
              onSave={(text) => save(scope, text)}
            />
          ))}
        </div>
      </section>
    </>
  )
}

/** Dollars, with or without their sign; null for an empty text, undefined for anything else. */
function readAmount(text: string): number | null | undefined {
  const plain = text.replace(/^\$/, '').trim()
  if (plain === '') return null
  const amount = Number(plain.replace(',', '.'))
  return Number.isFinite(amount) && amount > 0 && amount <= 1_000_000 ? amount : undefined
}
