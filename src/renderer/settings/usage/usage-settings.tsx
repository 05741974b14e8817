import { type ReactNode, useState } from 'react'
import { budgetScopes } from '#shared/contract/views/settings.ts'
import { formatMoney } from '#shared/text/format.ts'
import { usageStrings as labels } from '../../strings/later/usage.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SavedField } from '../fields.tsx'
import type { SectionProps } from '../section-props.ts'
import { UsageView } from './usage-view.tsx'

/** What agents have used, and what they may use. */
export function UsageSettings(props: SectionProps): ReactNode {
  return (
    <>
      <UsageView />
      <Budgets {...props} />
    </>
  )
}

function Budgets({ settings, change }: SectionProps): ReactNode {
  const [problem, setProblem] = useState('')
  function save(scope: (typeof budgetScopes)[number], text: string): void {
    const amount = readAmount(text)
    const wrong = typeof amount === 'string' ? `${labels.budget[scope]}: ${labels[amount]}` : ''
    setProblem(wrong)
    if (typeof amount !== 'string') void change({ budgets: { [scope]: amount } })
  }
  return (
    <section aria-label={labels.budgets} className="flex flex-col gap-3">
      <h3 className="font-semibold">{labels.budgets}</h3>
      <p className="text-muted">{labels.budgetsAbout}</p>
      {problem !== '' && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,16rem),1fr))] gap-4">
        {budgetScopes.map((scope) => (
          <div key={scope} className="flex flex-col items-start gap-1 *:w-full">
            <SavedField
              label={labels.budget[scope]}
              hint={labels.budgetHint[scope]}
              value={settings.budgets[scope]?.toString() ?? ''}
              onSave={(text) => save(scope, text)}
            />
            {settings.budgets[scope] !== settings.usualBudgets[scope] && (
              <Button
                tone="quiet"
                className="w-auto! -ml-2.5"
                aria-label={labels.backToUsualOf(labels.budget[scope])}
                onClick={() => {
                  setProblem('')
                  void change({ budgets: { [scope]: 'default' } })
                }}
              >
                {labels.backToUsual(usual(settings.usualBudgets[scope]))}
              </Button>
            )}
          </div>
        ))}
      </div>
    </section>
  )
}

function usual(amount: number | null): string {
  return amount === null ? labels.noBudget : formatMoney(amount)
}

/**
 * Dollars, with or without their sign; null for an empty text. For anything else it names what is wrong. A comma is
 * read only where it cannot mean thousands.
 */
function readAmount(text: string): number | null | 'notAmount' | 'outOfRange' {
  const plain = text.trim().replace(/^\$\s*/, '')
  if (plain === '') return null
  if (!/^(\d+(\.\d*)?|\.\d+|\d+,\d{1,2})$/.test(plain)) return 'notAmount'
  const amount = Number(plain.replace(',', '.'))
  return amount > 0 && amount <= 1_000_000 ? amount : 'outOfRange'
}
