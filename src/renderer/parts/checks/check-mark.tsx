import { CircleAlert, CircleCheck, CircleDashed, CircleX, Clock, History, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CheckState } from '#shared/model/check.ts'
import { strings } from '../../strings/strings.ts'
import { classNames } from '../../ui/react/class-names.ts'

const labels = strings.checks

const looks = {
  green: { Icon: CircleCheck, colour: 'text-good' },
  red: { Icon: CircleX, colour: 'text-bad' },
  flaky: { Icon: CircleAlert, colour: 'text-warn' },
  running: { Icon: LoaderCircle, colour: 'text-accent' },
  queued: { Icon: Clock, colour: 'text-muted' },
  stale: { Icon: History, colour: 'text-muted' },
  none: { Icon: CircleDashed, colour: 'text-muted' },
} as const

interface CheckMarkProps {
  readonly state: CheckState
  /** True for all checks of a branch together; a screen reader then says so. */
  readonly whole?: boolean
  /** True shows the icon alone, where the word stands in a row of the same branch. */
  readonly short?: boolean
}

/** The state of a check, or of all checks of a branch, as icon, word and colour. */
export function CheckMark({ state, whole = false, short = false }: CheckMarkProps): ReactNode {
  const { Icon, colour } = looks[state]
  const word = labels.states[state]
  return (
    <span
      title={short ? labels.stateOf(word.toLowerCase()) : undefined}
      className={classNames('inline-flex shrink-0 items-center gap-1 text-xs', colour)}
    >
      <Icon size={13} aria-hidden className={state === 'running' ? 'motion-safe:animate-spin' : undefined} />
      {!short && <span aria-hidden={whole}>{word}</span>}
      {whole && <span className="sr-only">{labels.stateOf(word.toLowerCase())}</span>}
    </span>
  )
}
