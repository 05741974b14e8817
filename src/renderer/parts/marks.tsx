import {
  Circle,
  CircleAlert,
  CircleCheck,
  CirclePause,
  CircleSlash,
  CircleX,
  Clock,
  HardDrive,
  LoaderCircle,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { ChangeKind } from '#shared/model/branch.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { ThreadStatus } from '#shared/model/thread.ts'
import { strings } from '../strings/strings.ts'

const looks = {
  idle: { Icon: Circle, colour: 'text-muted' },
  queued: { Icon: Clock, colour: 'text-muted' },
  working: { Icon: LoaderCircle, colour: 'text-accent' },
  needs_you: { Icon: CircleAlert, colour: 'text-warn' },
  paused: { Icon: CirclePause, colour: 'text-muted' },
  done: { Icon: CircleCheck, colour: 'text-good' },
  failed: { Icon: CircleX, colour: 'text-bad' },
  stopped: { Icon: CircleSlash, colour: 'text-muted' },
} as const

/** A status as icon, word and colour. Every screen shows it this way. */
export function StatusMark({ status, word = true }: { status: ThreadStatus; word?: boolean }): ReactNode {
  const { Icon, colour } = looks[status]
  const text = strings.common.status[status]
  return (
    <span className={`inline-flex items-center gap-1 ${colour}`}>
      <Icon size={14} aria-hidden className={status === 'working' ? 'motion-safe:animate-spin' : undefined} />
      <span className={word ? 'text-xs' : 'sr-only'}>{text}</span>
    </span>
  )
}

/** The colour of each kind of change. */
export const changeColours: Record<ChangeKind, string> = {
  create: 'text-good',
  modify: 'text-warn',
  delete: 'text-bad',
  rename: 'text-accent',
  mode: 'text-muted',
  symlink: 'text-muted',
}

/** One letter for the change to a file. The tooltip and screen readers give the whole word. */
export function ChangeMark({ kind }: { kind: ChangeKind }): ReactNode {
  const word = strings.common.change[kind]
  return (
    <span title={word} className={`shrink-0 font-mono text-xs ${changeColours[kind]}`}>
      <span aria-hidden>{strings.common.changeLetter[kind]}</span>
      <span className="sr-only">{word}</span>
    </span>
  )
}

/** Marks a file that changed on disk under an agent; its tooltip says it in full. `short` shows the icon alone. */
export function DriftMark({ drift, short = false }: { drift: Drift; short?: boolean }): ReactNode {
  return (
    <span title={strings.drift.title(drift)} className="flex shrink-0 items-center gap-1 text-warn text-xs">
      <HardDrive size={13} aria-hidden className="shrink-0" />
      <span className={short ? 'sr-only' : undefined}>{strings.drift.mark[drift.kind]}</span>
    </span>
  )
}
