import { Circle, CircleAlert, CircleCheck, CirclePause, CircleSlash, CircleX, Clock, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadStatus } from '#shared/model/thread.ts'
import { strings } from './strings.ts'

const looks = {
  idle: { Icon: Circle, ink: 'text-muted' },
  queued: { Icon: Clock, ink: 'text-muted' },
  working: { Icon: LoaderCircle, ink: 'text-accent' },
  needs_you: { Icon: CircleAlert, ink: 'text-warn' },
  paused: { Icon: CirclePause, ink: 'text-muted' },
  done: { Icon: CircleCheck, ink: 'text-good' },
  failed: { Icon: CircleX, ink: 'text-bad' },
  stopped: { Icon: CircleSlash, ink: 'text-muted' },
} as const

/** The one way a status is shown: icon, word and colour, always all three. */
export function StatusMark({ status, word = true }: { status: ThreadStatus; word?: boolean }): ReactNode {
  const { Icon, ink } = looks[status]
  const text = strings.common.status[status]
  return (
    <span className={`inline-flex items-center gap-1 ${ink}`}>
      <Icon size={14} aria-hidden className={status === 'working' ? 'motion-safe:animate-spin' : undefined} />
      <span className={word ? 'text-xs' : 'sr-only'}>{text}</span>
    </span>
  )
}
