import type { ReactNode } from 'react'
import type { Bisect } from '#shared/model/derived/bisect.ts'
import { bisectStrings as labels } from '../../../strings/later/bisect.ts'
import { classNames } from '../../../ui/react/class-names.ts'

const colours = { green: 'bg-good', red: 'bg-bad', flaky: 'bg-warn', unknown: 'bg-muted' } as const

/** The steps as a line, with a dot for each that was checked. What is left between green and red is marked. */
export function BisectTrack({ bisect }: { bisect: Bisect }): ReactNode {
  const { steps, asked } = bisect
  const placeOf = (step: number): string => `${steps === 0 ? 0 : (step / steps) * 100}%`
  const last = new Map(asked.map(({ step, verdict }) => [step, verdict]))
  const { green, red } = boundsOf(bisect)
  return (
    <div className="px-1.5 py-2">
      <ul aria-label={labels.track} className="relative h-3">
        <li aria-hidden className="absolute inset-x-0 top-1.5 h-px bg-line-strong" />
        <li
          aria-hidden
          className="absolute top-[5px] h-[3px] rounded-full bg-accent/60 transition-all motion-reduce:transition-none"
          style={{ insetInlineStart: placeOf(green), width: placeOf(Math.max(0, red - green)) }}
        />
        {[...last].map(([step, verdict]) => (
          <li
            key={step}
            title={labels.dot(step, labels.verdicts[verdict])}
            className={classNames('absolute top-0 size-3 -translate-x-1/2 rounded-full', colours[verdict])}
            style={{ insetInlineStart: placeOf(step) }}
          >
            <span className="sr-only">{labels.dot(step, labels.verdicts[verdict])}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The last step that is known to be green and the first that is red after it. */
export function boundsOf({ steps, asked }: Bisect): { readonly green: number; readonly red: number } {
  const last = [...new Map(asked.map(({ step, verdict }) => [step, verdict]))]
  const red = Math.min(steps, ...last.flatMap(([step, verdict]) => (verdict === 'red' ? [step] : [])))
  const greens = last.flatMap(([step, verdict]) => (verdict === 'green' && step < red ? [step] : []))
  return { green: Math.max(0, ...greens), red }
}
