import { ChevronRight } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { type Components, Virtuoso } from 'react-virtuoso'
import type { MessageHit } from '#shared/contract/views/threads.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { restorableUntil, type ThreadState } from '#shared/model/thread.ts'
import { formatDate } from '#shared/text/format.ts'
import { StatusMark } from '../parts/marks.tsx'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { isUnseen, type SeenThreads } from '../state/preferences/seen-threads.ts'
import { activeRoot } from '../state/store/selectors.ts'
import { showMessage, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { AriaElement, withKeys } from '../ui/react/elements.tsx'
import { useNow } from '../ui/react/observers.ts'
import { useVirtualRows } from '../ui/react/use-virtual-rows.ts'
import { type RowProps, ThreadListRow } from './thread-row.tsx'
import {
  type GroupKey,
  heightOf,
  stopAfterKey,
  stopAt,
  stopsOf,
  type ThreadFilter,
  type ThreadRow,
} from './thread-rows.ts'
import { useSeenThreads } from './use-seen-threads.ts'
import { type ThreadActions, useThreadActions } from './use-thread-actions.ts'

const labels = strings.threads
const foundLabels = strings.threads.found

interface VirtualThreadsProps {
  readonly rows: readonly ThreadRow[]
  readonly shown: ThreadFilter
  readonly searching: boolean
  readonly onToggle: (group: GroupKey) => void
}

const parts: Components<ThreadRow> = {
  List: ({ ref, ...props }) => <AriaElement {...props} ref={ref ?? null} role="list" aria-label={labels.title} />,
  Item: ({ item: _item, ...props }) => <AriaElement {...props} role="listitem" />,
}

/** The rows of the list. Only visible ones are rendered, so five thousand threads cost as much as fifty. */
export function VirtualThreads({ rows, shown, searching, onToggle }: VirtualThreadsProps): ReactNode {
  const [reached, setReached] = useState(0)
  const stops = useMemo(() => stopsOf(rows), [rows])
  const at = stopAt(stops, reached)
  const { list, box, focusRow, rangeChanged, stop } = useVirtualRows(at)
  const actions = useKeptFocus(useThreadActions(), rows, () => focusRow(at))
  const seen = useSeenThreads()
  const now = useNow(true, minute)
  const [renaming, setRenaming] = useState<ThreadId | null>(null)
  function onKeyDown(event: KeyboardEvent): void {
    const next = renaming ? null : stopAfterKey(event.key, at, stops)
    if (next === null) return
    event.preventDefault()
    setReached(next)
    focusRow(next)
  }
  function rename(id: ThreadId, on: boolean): void {
    setRenaming(on ? id : null)
    if (!on) requestAnimationFrame(() => focusRow(at))
  }
  if (rows.length === 0) return null
  return (
    <AriaElement
      role="presentation"
      ref={box}
      {...stop}
      onKeyDown={onKeyDown}
      className="flex min-h-0 shrink flex-col pb-1 outline-none"
      style={{ height: rows.reduce((sum, row) => sum + heightOf(row), 8) }}
    >
      <Virtuoso
        ref={list}
        data={rows}
        className="min-h-0 flex-1"
        components={parts}
        computeItemKey={(_, row) => row.key}
        rangeChanged={rangeChanged}
        increaseViewportBy={200}
        itemContent={(index, row) => (
          <AriaElement role="presentation" onFocus={() => setReached(index)} style={{ height: heightOf(row) }}>
            <Row
              row={row}
              place={{ index, reached: index === at }}
              actions={actions}
              shown={shown}
              seen={seen}
              now={now}
              plain={!searching && shown === 'active'}
              renaming={renaming}
              onRename={rename}
              onToggle={onToggle}
            />
          </AriaElement>
        )}
      />
    </AriaElement>
  )
}

/** Moves the focus to the next row when the focused thread is removed. */
function useKeptFocus(actions: ThreadActions, rows: readonly ThreadRow[], focus: () => void): ThreadActions {
  const leaving = useRef(false)
  useEffect(() => {
    if (!leaving.current || rows.length === 0) return
    leaving.current = false
    focus()
  }, [rows, focus])
  return {
    ...actions,
    remove(thread) {
      leaving.current = true
      actions.remove(thread)
    },
  }
}

interface AnyRowProps {
  readonly row: ThreadRow
  readonly place: { readonly index: number; readonly reached: boolean }
  readonly actions: ThreadActions
  readonly shown: ThreadFilter
  readonly seen: SeenThreads
  readonly now: number
  readonly plain: boolean
  readonly renaming: ThreadId | null
  readonly onRename: (id: ThreadId, on: boolean) => void
  readonly onToggle: (group: GroupKey) => void
}

function Row({ row, place, actions, shown, seen, now, plain, renaming, onRename, onToggle }: AnyRowProps): ReactNode {
  const active = useApp(activeRoot)
  const updateUi = useUpdateUi()
  switch (row.kind) {
    case 'group':
      return <GroupRow row={row} place={place} onToggle={() => onToggle(row.group)} />
    case 'thread':
      return (
        <ThreadListRow
          {...place}
          thread={row.thread}
          status={row.status}
          note={shown === 'deleted' ? labels.daysLeft(daysLeft(row.thread, Date.now())) : undefined}
          plain={plain && !row.thread.pinned}
          active={row.thread.id === active?.id}
          unseen={row.thread.id !== active?.id && isUnseen(row.thread, seen)}
          now={now}
          renaming={renaming === row.thread.id}
          actions={actions}
          onOpen={() => updateUi((ui) => showThread(ui, row.thread.id))}
          onRename={(on) => onRename(row.thread.id, on)}
        />
      )
    case 'found':
      return <FoundHeading title={row.title} count={row.count} />
    case 'hit':
      return (
        <HitRow
          {...place}
          hit={row.hit}
          agent={row.agent}
          onOpen={() => updateUi((ui) => showMessage(ui, row.hit.threadId, row.hit.messageId))}
        />
      )
  }
}

interface GroupRowProps {
  readonly row: Extract<ThreadRow, { kind: 'group' }>
  readonly place: AnyRowProps['place']
  readonly onToggle: () => void
}

/** A `summary`, not a button: a button named `Stopped` would be confused with `Stop`. */
function GroupRow({ row: { group, count, open }, place, onToggle }: GroupRowProps): ReactNode {
  return (
    <details open={open} onToggle={({ currentTarget }) => currentTarget.open !== open && onToggle()}>
      <summary
        data-row={place.index}
        tabIndex={place.reached ? 0 : -1}
        className="flex h-7 w-full cursor-default items-center gap-1 pr-3 pl-1.5 text-left hover:bg-hover"
      >
        <ChevronRight size={12} aria-hidden className={classNames('shrink-0 text-faint', open && 'rotate-90')} />
        {group === 'pinned' ? (
          <span className="text-muted text-xs">{labels.pinned}</span>
        ) : (
          <StatusMark status={group} />
        )}
        <span className="ml-auto pr-1 text-faint text-xs tabular-nums">{count}</span>
      </summary>
    </details>
  )
}

function FoundHeading({ title, count }: { title: string; count: number }): ReactNode {
  return (
    <p className="flex h-7 items-center gap-2 px-3 text-muted text-xs">
      <span dir="auto" className="min-w-0 truncate font-medium" title={title}>
        <VisibleText text={title} />
      </span>
      <span className="ml-auto text-faint tabular-nums">{count}</span>
    </p>
  )
}

interface HitRowProps extends RowProps {
  readonly hit: MessageHit
  /** The name of the agent that wrote the message; null for the person. */
  readonly agent: string | null
  readonly onOpen: () => void
}

/** A found message with the matches marked. Opens the thread at the message. */
function HitRow({ hit, agent, index, reached, onOpen }: HitRowProps): ReactNode {
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
        <span className="text-muted">{agent ?? foundLabels.you}: </span>
        {withKeys(hit.snippet).map(({ key, item }) =>
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

const minute = 60_000
const day = 24 * 60 * 60 * 1000

/** Full days left to restore a deleted thread. */
function daysLeft({ deletedAt }: ThreadState, now: number): number {
  return deletedAt === null ? 0 : Math.floor((restorableUntil(deletedAt) - now) / day)
}
