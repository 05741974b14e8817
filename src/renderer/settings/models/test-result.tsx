import { CircleAlert, CircleCheck, CircleHelp, CircleX, LoaderCircle } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { AbilityResult, ModelTest } from '#shared/contract/views/models.ts'
import { formatDuration, formatElapsed, formatMoney } from '#shared/text/format.ts'
import { modelTestStrings } from '../../strings/later/model-settings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { useNow } from '../../ui/react/observers.ts'

const labels = modelTestStrings

/** Says what a test does, and for how long. */
export function TestRunning(): ReactNode {
  const [began] = useState(() => Date.now())
  const now = useNow(true)
  return (
    <p role="status" className="flex items-center gap-1.5 text-muted">
      <LoaderCircle size={14} aria-hidden className="text-accent motion-safe:animate-spin" />
      {labels.running(formatElapsed(Math.max(now - began, 0)))}
    </p>
  )
}

const looks = {
  works: { Icon: CircleCheck, colour: 'text-good' },
  refused: { Icon: CircleX, colour: 'text-bad' },
  unknown: { Icon: CircleHelp, colour: 'text-muted' },
} as const

/** What a test showed, ability by ability. */
export function TestResult({ result }: { result: ModelTest }): ReactNode {
  const { model, ok, message, abilities, firstMs, cost, models } = result
  const Icon = ok ? CircleCheck : CircleAlert
  const facts = labels.facts(
    model,
    firstMs === null ? null : formatDuration(firstMs),
    ok ? labels.cost(formatMoney(cost)) : '',
  )
  return (
    <div role={ok ? 'status' : 'alert'} className="flex flex-col gap-2 [overflow-wrap:anywhere]">
      <div className="flex gap-2">
        <Icon size={15} aria-hidden className={classNames('mt-0.5 shrink-0', ok ? 'text-good' : 'text-bad')} />
        <div className="min-w-0">
          <p className="font-medium">
            <VisibleText text={message} />
          </p>
          <p className="text-muted text-xs tabular-nums">
            <VisibleText text={facts} />
          </p>
        </div>
      </div>
      {abilities.length > 0 && (
        <dl className="grid grid-cols-[minmax(5.5rem,auto)_minmax(6.5rem,auto)_minmax(0,1fr)] gap-x-3 gap-y-0.5 rounded-md bg-panel px-3 py-2 max-sm:grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)]">
          {abilities.map((one) => (
            <Ability key={one.ability} result={one} />
          ))}
        </dl>
      )}
      {models.length > 0 && <p className="text-muted text-xs">{labels.has(models.length)}</p>}
    </div>
  )
}

function Ability({ result: { ability, state, detail } }: { result: AbilityResult }): ReactNode {
  const { Icon, colour } = looks[state]
  return (
    <>
      <dt className="font-medium">{labels.abilities[ability]}</dt>
      <dd className="flex items-center gap-1.5">
        <Icon size={14} aria-hidden className={classNames('shrink-0', colour)} />
        {labels.states[state]}
      </dd>
      <dd className="min-w-0 text-muted max-sm:col-span-2 max-sm:pl-2">
        <VisibleText text={detail} />
      </dd>
    </>
  )
}
