import { Ellipsis, Pin } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import type { ThreadState, ThreadStatus } from '#shared/model/thread.ts'
import { formatAgo, formatDate, formatMoney } from '#shared/text/format.ts'
import { StatusMark } from '../parts/marks.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { usageBelow } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { ContextMenu, Menu, type MenuChoice } from '../ui/controls/menu.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'
import type { ThreadActions } from './use-thread-actions.ts'

const labels = strings.threads

export interface RowProps {
  readonly index: number
  /** True for the row that Tab leads to. */
  readonly reached: boolean
}

interface ThreadRowProps extends RowProps {
  readonly thread: ThreadState
  readonly status: ThreadStatus
  /** A text at the end of the row, in place of the status. */
  readonly note?: string | undefined
  /** True if the heading above already says the status. */
  readonly plain: boolean
  readonly active: boolean
  /** True if its last run ended while nobody looked. */
  readonly unseen: boolean
  readonly now: number
  readonly renaming: boolean
  readonly actions: ThreadActions
  readonly onOpen: () => void
  readonly onRename: (on: boolean) => void
}

export function ThreadListRow(props: ThreadRowProps): ReactNode {
  const { thread, index, active, renaming, onOpen, onRename, actions } = props
  const facts = useId()
  if (renaming) return <RenameField thread={thread} actions={actions} onDone={() => onRename(false)} />
  const choices = choicesOf(props)
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'F2') onRename(true)
    else if (event.key === 'Delete' && thread.deletedAt === null) actions.remove(thread)
    else return
    event.preventDefault()
  }
  const row = (
    <div className={classNames('group relative h-10 hover:bg-hover', active && 'bg-accent-soft')}>
      <button
        type="button"
        data-row={index}
        tabIndex={props.reached ? 0 : -1}
        title={thread.title}
        aria-current={active ? 'true' : undefined}
        aria-keyshortcuts="F2 Delete"
        aria-describedby={facts}
        onClick={onOpen}
        onKeyDown={onKeyDown}
        className={classNames(
          'flex h-full w-full items-start gap-2 pt-[3px] pr-3 pl-6 text-left',
          (active || props.unseen) && 'font-medium',
        )}
      >
        <span dir="auto" className="min-w-0 flex-1 truncate">
          <VisibleText text={thread.title} />
        </span>
        {thread.pinned && !props.plain && <Pin size={12} aria-hidden className="mt-1 shrink-0 text-faint" />}
        {props.note ? (
          <span className="shrink-0 text-muted text-xs">{props.note}</span>
        ) : (
          !props.plain && <StatusMark status={props.status} />
        )}
      </button>
      {props.unseen && <span aria-hidden className="absolute top-[11px] left-3 size-1.5 rounded-full bg-accent" />}
      <Facts {...props} id={facts} />
      <Menu
        trigger={
          <IconButton
            label={labels.actions(thread.title)}
            tabIndex={props.reached ? 0 : -1}
            className="absolute right-1 bottom-0 size-6! bg-hover opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 aria-expanded:opacity-100"
          >
            <Ellipsis size={14} aria-hidden />
          </IconButton>
        }
        choices={choices}
      />
    </div>
  )
  return <ContextMenu trigger={row} choices={choices} />
}

/** When the thread last did something, and what it cost. A description of the row, whose name is the title alone. */
function Facts({ thread, unseen, now, id }: ThreadRowProps & { readonly id: string }): ReactNode {
  const usage = useApp((state) => usageBelow(state, thread.id))
  return (
    <span
      id={id}
      className="pointer-events-none absolute bottom-[3px] left-6 flex gap-1 text-2xs text-muted tabular-nums"
    >
      {unseen && <span className="sr-only">{labels.unseen} · </span>}
      <time title={formatDate(thread.updatedAt)}>{formatAgo(thread.updatedAt, now)}</time>
      {usage.cost !== 0 && <span>· {formatMoney(usage.cost)}</span>}
    </span>
  )
}

function choicesOf({ thread, actions, onRename }: ThreadRowProps): readonly MenuChoice[] {
  if (thread.deletedAt !== null)
    return [{ id: 'restore', label: labels.restore, onSelect: () => actions.restore(thread) }]
  return [
    { id: 'rename', label: labels.rename, keys: labels.renameKeys, onSelect: () => onRename(true) },
    { id: 'pin', label: thread.pinned ? labels.unpin : labels.pin, onSelect: () => actions.pin(thread) },
    {
      id: 'archive',
      label: thread.archived ? labels.unarchive : labels.archive,
      onSelect: () => actions.archive(thread),
    },
    { id: 'page', label: labels.savePage, onSelect: () => actions.savePage(thread) },
    { id: 'record', label: labels.saveRecord, onSelect: () => actions.saveRecord(thread) },
    { id: 'delete', label: labels.delete, keys: labels.deleteKeys, onSelect: () => actions.remove(thread) },
  ]
}

/** Renames a thread. Enter keeps the new title, and so does leaving the field; Escape keeps the old one. */
function RenameField(props: { thread: ThreadState; actions: ThreadActions; onDone: () => void }): ReactNode {
  const { thread, actions, onDone } = props
  const field = useRef<HTMLInputElement>(null)
  const done = useRef(false)
  useEffect(() => {
    // Waits for the next frame, because the closing menu returns the focus first.
    const frame = requestAnimationFrame(() => field.current?.select())
    return () => cancelAnimationFrame(frame)
  }, [])
  function finish(title: string | null): void {
    if (done.current) return
    done.current = true
    if (title !== null) actions.rename(thread, title)
    onDone()
  }
  return (
    <div className="flex h-10 items-center px-2">
      <input
        ref={field}
        aria-label={labels.renameLabel(thread.title)}
        defaultValue={thread.title}
        maxLength={200}
        onBlur={(event) => document.hasFocus() && finish(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Enter') finish(event.currentTarget.value)
          if (event.key === 'Escape') finish(null)
        }}
        className="h-6 w-full rounded border border-accent bg-canvas px-1.5 outline-none"
      />
    </div>
  )
}
