import type { ReactNode } from 'react'
import type { MessageHit } from '#shared/contract/views.ts'
import { strings } from '../state/strings.ts'
import { formatDate } from '../ui/format.ts'
import { keyed } from '../ui/keyed.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'
import type { RowProps } from './thread-row.tsx'

const labels = strings.threads.found

export function FoundHeading({ title, count }: { title: string; count: number }): ReactNode {
  return (
    <p className="flex h-7 items-center gap-2 px-3 text-muted text-xs">
      <span className="min-w-0 truncate font-medium" title={title}>
        {title}
      </span>
      <span className="ml-auto text-faint tabular-nums">{count}</span>
    </p>
  )
}

export interface HitRowProps extends RowProps {
  readonly hit: MessageHit
  /** Null: a person said it. */
  readonly agent: string | null
  readonly onOpen: () => void
}

/** A message with what was found in it; opens the thread there. */
export function HitRow({ hit, agent, index, reached, onOpen }: HitRowProps): ReactNode {
  return (
    <button
      type="button"
      data-row={index}
      tabIndex={reached ? 0 : -1}
      title={formatDate(hit.at)}
      onClick={onOpen}
      className="block h-12 w-full overflow-hidden py-0.5 pr-3 pl-5 text-left hover:bg-hover"
    >
      <span className="line-clamp-2 leading-[1.35rem] [overflow-wrap:anywhere]">
        <span className="text-muted">{agent ?? labels.you}: </span>
        {keyed(hit.snippet).map(({ key, item }) =>
          item.found ? (
            <mark key={key} className="rounded-xs bg-warn-soft font-medium text-text">
              <VisibleText text={item.text} />
            </mark>
          ) : (
            <VisibleText key={key} text={item.text} />
          ),
        )}
      </span>
    </button>
  )
}
