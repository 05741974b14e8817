import { Ban } from 'lucide-react'
import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import type { TodoStatus } from '#shared/model/todos/todo.ts'
import { strings } from '../strings/strings.ts'
import { classNames } from '../ui/react/class-names.ts'
import { type BoardColumn, cardAt, editForDrop, statusBetween } from './board.ts'
import { statusLooks } from './todo-card.tsx'
import type { Drag } from './use-drag.ts'

const labels = strings.board

/** What the board shows while a card is dragged over it. */
export interface DropState {
  /** The key of the card above which a line is drawn, or `end` and a status for the end of a column; null for none. */
  readonly before: string | null
  /** The column that cannot take the card; null for none. */
  readonly refused: TodoStatus | null
  /** The status that the card must have before the refused one. */
  readonly via: TodoStatus | null
  /** The column under the pointer. */
  readonly over: TodoStatus | null
}

const idle: DropState = { before: null, refused: null, via: null, over: null }

export function dropStateOf(columns: readonly BoardColumn[], drag: Drag | null): DropState {
  const dragged = cardAt(columns, drag?.key ?? null)
  if (!drag || !dragged) return idle
  const refused = columns.find(({ status }) => statusBetween(dragged.status, status) !== null)?.status ?? null
  const via = refused && statusBetween(dragged.status, refused)
  const over = drag.over?.status ?? null
  const moves = drag.over && over !== refused && editForDrop(columns, drag.key, drag.over) !== null
  const before = moves && drag.over ? (drag.over.before ?? `end ${drag.over.status}`) : null
  return { before, refused, via, over }
}

/** The line where the card would go. It takes no room, so that nothing moves under the pointer. */
export function DropLine({ shown }: { shown: boolean }): ReactNode {
  return (
    <div aria-hidden className="relative h-0">
      {shown && <div className="absolute inset-x-1 -top-px z-10 h-0.5 rounded-full bg-accent-solid" />}
    </div>
  )
}

interface StatusHeadingProps {
  readonly column: BoardColumn
  readonly state: DropState
  readonly look: 'box' | 'line'
}

/** The name of a column, and while a card is dragged the reason why the column cannot take it. */
export function StatusHeading({ column: { status, cards }, state, look }: StatusHeadingProps): ReactNode {
  const { Icon, colour } = statusLooks[status]
  const refused = state.refused === status
  return (
    <h3
      className={classNames(
        'flex min-h-6 items-center gap-1.5 text-xs',
        look === 'line' ? 'px-3 pt-1' : 'px-1',
        refused ? 'text-muted' : 'font-medium',
      )}
    >
      {refused ? (
        <Ban size={13} aria-hidden className="shrink-0 text-bad" />
      ) : (
        <Icon size={13} aria-hidden className={`shrink-0 ${colour}`} />
      )}
      <span className="min-w-0 truncate">
        {refused && state.via ? labels.forbiddenStep(state.via) : strings.agents.todoStatus[status]}
      </span>
      {!refused && <span className="font-normal text-muted tabular-nums">{cards.length}</span>}
      {!refused && cards.length === 0 && look === 'line' && (
        <span className="truncate font-normal text-faint">{labels.emptyColumn[status]}</span>
      )}
    </h3>
  )
}

interface DragGhostProps {
  readonly columns: readonly BoardColumn[]
  readonly drag: Drag | null
  readonly attach: (element: HTMLElement | null) => void
}

/** The picture of the dragged card under the pointer. */
export function DragGhost({ columns, drag, attach }: DragGhostProps): ReactNode {
  const dragged = cardAt(columns, drag?.key ?? null)
  if (!drag || !dragged) return null
  const { refused, over } = dropStateOf(columns, drag)
  const { Icon, colour } = statusLooks[dragged.status]
  return createPortal(
    <div
      ref={attach}
      aria-hidden
      style={{ width: drag.width }}
      className={classNames(
        'pointer-events-none fixed top-0 left-0 z-50 flex items-start gap-1.5 rounded-md border bg-raised px-2 py-1.5',
        refused !== null && over === refused ? 'border-bad' : 'border-accent',
      )}
    >
      <Icon size={14} className={`mt-[3px] shrink-0 ${colour}`} />
      <span className="line-clamp-3 min-w-0 [overflow-wrap:anywhere]">{dragged.content}</span>
      {refused !== null && over === refused && <Ban size={14} className="mt-[3px] ml-auto shrink-0 text-bad" />}
    </div>,
    document.body,
  )
}
