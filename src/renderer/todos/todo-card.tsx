import { CircleCheck, CircleDashed, CircleDot, Ellipsis, GripVertical, X } from 'lucide-react'
import { memo, type PointerEvent, type ReactNode } from 'react'
import { type TodoStatus, todoStatuses } from '#shared/model/todos/todo.ts'
import { keysHere } from '../state/preferences/keymap.ts'
import { strings } from '../strings/strings.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { Menu, type MenuChoice } from '../ui/controls/menu.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import { type BoardCard, statusAfterPress, statusBetween } from './board.ts'
import { CardAgents } from './card-agents.tsx'
import { EditTodo } from './todo-form.tsx'
import type { BoardActions } from './use-board.ts'

const labels = strings.board
const shortcuts = ['Enter', 'Delete', 'Alt+ArrowUp', 'Alt+ArrowDown', 'Alt+ArrowLeft', 'Alt+ArrowRight'].join(' ')

export const statusLooks = {
  pending: { Icon: CircleDashed, colour: 'text-muted' },
  in_progress: { Icon: CircleDot, colour: 'text-accent' },
  completed: { Icon: CircleCheck, colour: 'text-good' },
} as const

/** `box` is a card of a column, `line` a row of the narrow list. */
export type CardLook = 'box' | 'line'

interface TodoCardProps {
  readonly item: BoardCard
  readonly look: CardLook
  /** The keys of the cards around it in its column; empty for none. */
  readonly previous: string
  readonly next: string
  /** True for the card that Tab leads to. */
  readonly reached: boolean
  readonly editing: boolean
  readonly dragged: boolean
  readonly row: number
  readonly actions: BoardActions
  readonly onPointerDown: (event: PointerEvent<HTMLElement>, key: string) => void
}

/** The frame of a card knows its place in the list. What it holds renders again only when the card itself changed. */
export function TodoCard(props: TodoCardProps): ReactNode {
  const { item, look, previous, next, reached, editing, dragged, row, actions } = props
  const { key, content, status } = item
  return (
    <AriaElement
      role="group"
      aria-label={labels.card(content, status)}
      aria-keyshortcuts={shortcuts}
      data-row={row}
      data-card={key}
      data-next={next}
      data-status={status}
      tabIndex={reached ? 0 : -1}
      onPointerDown={(event) => props.onPointerDown(event, key)}
      onDoubleClick={() => actions.startEditing(key)}
      className={classNames(
        'group/card relative select-none',
        look === 'box'
          ? 'rounded-md border border-line bg-raised py-1.5 pr-1.5 pl-2 hover:border-line-strong'
          : 'rounded-md px-3 py-0.5 hover:bg-hover',
        !editing && 'cursor-grab',
        dragged && 'opacity-40',
      )}
    >
      <CardContent
        item={item}
        look={look}
        isFirst={previous === ''}
        isLast={next === ''}
        editing={editing}
        actions={actions}
      />
    </AriaElement>
  )
}

interface CardContentProps extends Pick<TodoCardProps, 'item' | 'look' | 'editing' | 'actions'> {
  /** Of its column. */
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Memoized, because agents write the whole plan each time, and a removed card moves all cards below it. */
const CardContent = memo(function CardContent(props: CardContentProps): ReactNode {
  const { item, look } = props
  return (
    <>
      <CardLine {...props} />
      <div className={look === 'box' ? 'pr-1 pl-6' : 'pl-6'}>
        {item.error && item.agents.length === 0 && (
          <p className="text-bad text-xs [overflow-wrap:anywhere]">
            <VisibleText text={item.error} />
          </p>
        )}
        <CardAgents agents={item.agents} />
      </div>
    </>
  )
})

function CardLine({ item, look, isFirst, isLast, editing, actions }: CardContentProps): ReactNode {
  const { key, content, status } = item
  return (
    <div className="flex items-start gap-0.5">
      <StatusButton content={content} status={status} onPress={(to) => actions.setStatus(key, to)} />
      <div className="min-w-0 flex-1 py-0.5">
        {editing ? (
          <EditTodo
            content={content}
            onSave={(text) => actions.rename(key, text)}
            onCancel={() => actions.rename(key, content)}
          />
        ) : (
          <span
            className={classNames(
              'whitespace-pre-wrap [overflow-wrap:anywhere]',
              status === 'completed' && 'text-muted',
            )}
          >
            {content}
          </span>
        )}
      </div>
      {!editing && (
        <span
          className={classNames(
            'flex shrink-0 items-center rounded-md opacity-0 focus-within:opacity-100 group-focus-within/card:opacity-100 group-hover/card:opacity-100 [@media(hover:none)]:opacity-100',
            'absolute',
            look === 'line' ? 'top-0.5 right-2 bg-panel group-hover/card:bg-hover' : 'top-1.5 right-1.5 bg-raised',
          )}
        >
          <span
            data-handle
            title={labels.drag}
            className="hidden size-6 touch-none items-center justify-center text-faint [@media(hover:none)]:flex"
          >
            <GripVertical size={14} aria-hidden />
          </span>
          <Menu
            choices={() => choicesOf({ key, status, isFirst, isLast }, actions)}
            trigger={
              <IconButton label={labels.actions(content)} className="size-6!">
                <Ellipsis size={14} aria-hidden />
              </IconButton>
            }
          />
          <IconButton
            label={strings.agents.removeTodo(content)}
            keys="Delete"
            onClick={() => actions.remove(key)}
            className="size-6!"
          >
            <X size={13} aria-hidden />
          </IconButton>
        </span>
      )}
    </div>
  )
}

interface StatusButtonProps {
  readonly content: string
  readonly status: TodoStatus
  readonly onPress: (status: TodoStatus) => void
}

function StatusButton({ content, status, onPress }: StatusButtonProps): ReactNode {
  const { Icon, colour } = statusLooks[status]
  return (
    <button
      type="button"
      aria-label={labels.advance[status](content)}
      title={`${labels.advanceShort[status]} (${keysHere(status === 'completed' ? 'Alt+←' : 'Alt+→')})`}
      onClick={() => onPress(statusAfterPress(status))}
      className={`flex size-6 shrink-0 items-center justify-center rounded-md hover:bg-hover ${colour}`}
    >
      <Icon size={14} aria-hidden />
    </button>
  )
}

interface CardPlace {
  readonly key: string
  readonly status: TodoStatus
  readonly isFirst: boolean
  readonly isLast: boolean
}

function choicesOf({ key, status, isFirst, isLast }: CardPlace, actions: BoardActions): readonly MenuChoice[] {
  const statuses = todoStatuses.filter((to) => to !== status)
  return [
    { id: 'edit', label: labels.edit, keys: 'Enter', onSelect: () => actions.startEditing(key) },
    ...statuses.map((to): MenuChoice => {
      const via = statusBetween(status, to)
      const arrow = todoStatuses.indexOf(to) > todoStatuses.indexOf(status) ? 'Alt+→' : 'Alt+←'
      return {
        id: to,
        label: labels.moveTo(to),
        ...(via ? { hint: labels.forbiddenStep(via), disabled: true } : { keys: keysHere(arrow) }),
        onSelect: () => actions.setStatus(key, to),
      }
    }),
    ...(isFirst
      ? []
      : [
          {
            id: 'up',
            label: labels.moveUp,
            keys: keysHere('Alt+↑'),
            onSelect: () => actions.step(key, 'ArrowUp'),
          },
        ]),
    ...(isLast
      ? []
      : [
          {
            id: 'down',
            label: labels.moveDown,
            keys: keysHere('Alt+↓'),
            onSelect: () => actions.step(key, 'ArrowDown'),
          },
        ]),
    { id: 'remove', label: labels.remove, keys: 'Delete', onSelect: () => actions.remove(key) },
  ]
}
