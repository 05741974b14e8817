import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../react/class-names.ts'
import { VisibleText } from './visible-text.tsx'

type NoticeTone = 'error' | 'warning' | 'info'

const looks = {
  error: { Icon: CircleAlert, box: 'border-bad/40 bg-bad-soft', colour: 'text-bad' },
  warning: { Icon: TriangleAlert, box: 'border-warn/40 bg-warn-soft', colour: 'text-warn' },
  info: { Icon: Info, box: 'border-line bg-panel', colour: 'text-muted' },
} as const

interface NoticeProps {
  readonly tone: NoticeTone
  readonly title: string
  readonly detail?: string
  readonly actions?: ReactNode
}

/** Says what went wrong, and what to do about it. */
export function Notice({ tone, title, detail, actions }: NoticeProps): ReactNode {
  const { Icon, box, colour } = looks[tone]
  return (
    <div
      role={tone === 'error' ? 'alert' : undefined}
      className={classNames('flex flex-wrap items-start gap-x-2 gap-y-1 rounded-md border px-3 py-2', box)}
    >
      <Icon size={15} aria-hidden className={classNames('mt-0.5 shrink-0', colour)} />
      <div className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
        <p className="font-medium">
          <VisibleText text={title} />
        </p>
        {detail && (
          <p className="whitespace-pre-line text-muted">
            <VisibleText text={detail} />
          </p>
        )}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  )
}

interface EmptyProps {
  readonly icon?: ReactNode
  readonly title: string
  readonly detail: string
  readonly action?: ReactNode
}

/** In place of an empty list: says what the list is for and how to fill it. */
export function Empty({ icon, title, detail, action }: EmptyProps): ReactNode {
  return (
    <div className="flex flex-col items-center gap-1 px-4 py-10 text-center">
      {icon && <span className="mb-1 text-faint">{icon}</span>}
      <p className="font-medium">
        <VisibleText text={title} />
      </p>
      <p className="max-w-md text-muted">
        <VisibleText text={detail} />
      </p>
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}
