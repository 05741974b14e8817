import { CircleSlash, CircleX, Clock, GitMerge, LoaderCircle, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { GreenMergeState } from '#shared/model/check.ts'
import { checkDetails } from '../../strings/later/check-details.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = checkDetails.queue.states

const looks = {
  queued: { Icon: Clock, colour: 'text-muted' },
  checking: { Icon: LoaderCircle, colour: 'text-accent' },
  merged: { Icon: GitMerge, colour: 'text-good' },
  conflict: { Icon: TriangleAlert, colour: 'text-bad' },
  red: { Icon: CircleX, colour: 'text-bad' },
  cancelled: { Icon: CircleSlash, colour: 'text-muted' },
  refused: { Icon: TriangleAlert, colour: 'text-warn' },
} as const

/** What became of one merge *when green*, as icon, words and colour. */
export function GreenStateMark({ state, now }: { state: GreenMergeState; now: number }): ReactNode {
  const { Icon, colour } = looks[state.kind]
  const text = textOf(state, now)
  return (
    <span title={text} className={`flex min-w-0 items-center gap-1 tabular-nums ${colour}`}>
      <Icon
        size={13}
        aria-hidden
        className={state.kind === 'checking' ? 'shrink-0 motion-safe:animate-spin' : 'shrink-0'}
      />
      <span className="truncate">
        <VisibleText text={text} />
      </span>
    </span>
  )
}

function textOf(state: GreenMergeState, now: number): string {
  switch (state.kind) {
    case 'checking':
      return labels.checking(state.check, Math.max(now - state.startedAt, 0))
    case 'conflict':
      return labels.conflict(state.paths.length)
    case 'red':
      return labels[state.greenAlone ? 'semantic' : 'red'](state.failed.map(({ check }) => check))
    case 'refused':
      return state.reason
    default:
      return labels[state.kind]
  }
}
