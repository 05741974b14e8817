import { ArrowDown, ArrowLeft } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { type Components, Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { RegionBoundary } from '../parts/region-boundary.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useApp, useAppList, useUpdateUi } from '../state/hooks/hooks.tsx'
import type { Streaming } from '../state/store/live.ts'
import { activeFamily, activeRoot, activeThread, deletedRoot, isUnread } from '../state/store/selectors.ts'
import type { RunEnd } from '../state/store/timeline.ts'
import { showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { AriaElement } from '../ui/react/elements.tsx'
import { ChatArticle, type ChatItem, plainText } from './articles/chat-article.tsx'
import { Composer, type ComposerSlots } from './composer/composer.tsx'
import { EmptyChat } from './empty-chat.tsx'
import { BranchStrip } from './end/branch-strip.tsx'
import { DeletedNotice } from './end/deleted-notice.tsx'
import { useShowFocusedCall } from './focused-call.ts'
import { FocusedMessage, useShowFocusedMessage } from './focused-message.tsx'
import { QueueStrip } from './queue-strip.tsx'
import { buildTranscript, hasSpoken, streamingItem } from './transcript.ts'
import { useFollow } from './use-follow.ts'

const labels = strings.chat

interface ChatSlots extends ComposerSlots {
  /** Renders the approval cards of one interrupt. */
  readonly approvals: (interrupt: Interrupt) => ReactNode
}

const noEnds: readonly RunEnd[] = []
const noReplies: readonly Streaming[] = []

export function ChatScreen(slots: ChatSlots): ReactNode {
  const thread = useApp(activeThread)
  const deleted = useApp(deletedRoot)
  const typing = useRef(false)
  // The outline shows only the end of a conversation. The complete conversation is a new list, which also starts at
  // its end.
  const unread = useApp(isUnread)
  const outlined = useApp((state) => state.outlined)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {thread?.parent && <Breadcrumb thread={thread} />}
      {thread && !(unread && thread.messages.length === 0) ? (
        <Conversation key={`${thread.id} ${unread}`} thread={thread} approvals={slots.approvals} />
      ) : outlined && !thread ? (
        <EmptyChat />
      ) : (
        <div className="min-h-0 flex-1">
          <Skeleton />
        </div>
      )}
      {deleted ? (
        <DeletedNotice thread={deleted} />
      ) : (
        <>
          {thread && !thread.parent && <BranchStrip key={`branches-${thread.id}`} thread={thread} />}
          {thread && <QueueStrip key={`queue-${thread.id}`} thread={thread} />}
          <Composer
            key={`composer-${thread?.id ?? 'new'}`}
            thread={thread}
            typing={typing}
            keyForm={slots.keyForm}
            tryDemo={slots.tryDemo}
          />
        </>
      )}
    </div>
  )
}

function Breadcrumb({ thread }: { thread: ThreadState }): ReactNode {
  const root = useApp(activeRoot)
  const updateUi = useUpdateUi()
  if (!root) return null
  return (
    <nav aria-label={labels.subagentOf} className="flex items-center gap-2 border-line border-b px-3 py-1">
      <Button
        tone="quiet"
        className="min-w-14 shrink!"
        title={labels.backTo(root.title)}
        icon={<ArrowLeft size={14} aria-hidden />}
        onClick={() => updateUi((ui) => showThread(ui, root.id))}
      >
        <span dir="auto" className="truncate">
          {labels.backTo(root.title)}
        </span>
      </Button>
      <span aria-hidden className="text-faint">
        /
      </span>
      <span aria-current="page" title={thread.agent} className="max-w-[75%] shrink-0 truncate font-medium">
        <VisibleText text={thread.agent} />
      </span>
    </nav>
  )
}

/** Pixels of an item that was never rendered. Without it, the list would first render one only to measure it. */
const usualHeight = 100

/** Pixels above and below the visible part that are rendered as well, and more than any last screen has. */
const [around, aroundLastScreen] = [400, 20_000]

const listParts: Components<ChatItem> = {
  List: ({ ref, ...props }) => (
    <AriaElement
      {...props}
      ref={ref ?? null}
      role="list"
      aria-label={labels.transcript}
      className="in-data-from-end:invisible in-data-at-end:visible!"
    />
  ),
  Item: ({ item: _item, ...props }) => (
    <AriaElement {...props} role="listitem" className="mx-auto max-w-3xl px-4 py-0.5" />
  ),
  Header: () => <div className="h-3" />,
  Footer: () => <div className="h-4" />,
}

function Conversation({ thread, approvals }: { thread: ThreadState; approvals: ChatSlots['approvals'] }): ReactNode {
  const items = useChatItems(thread)
  const list = useRef<VirtuosoHandle>(null)
  const held = useApp(({ ui }) => ui.focusMessage !== null || ui.focusCall !== null)
  const follow = useFollow(held)
  useShowFocusedCall(items, list)
  const start = useShowFocusedMessage(items, list)
  const [isFromEnd] = useState(!held)
  const [before] = useState(() => (isFromEnd ? startOfLastScreen(items) : 0))
  // A new list begins with its last screen, and gets what is before it once that is in place. A whole one would need
  // several frames to find its end.
  const left = follow.placed || held ? 0 : before
  return (
    <div
      className="relative min-h-0 flex-1"
      {...(isFromEnd && { 'data-from-end': '' })}
      onClickCapture={follow.onClickCapture}
    >
      <Virtuoso
        ref={list}
        data={left > 0 ? items.slice(left) : items}
        firstItemIndex={left}
        className="h-full"
        components={listParts}
        computeItemKey={(_, item) => item.key}
        {...(!isFromEnd && { initialTopMostItemIndex: start })}
        skipAnimationFrameInResizeObserver
        scrollerRef={follow.attach}
        totalListHeightChanged={follow.onHeightChanged}
        itemsRendered={follow.onItemsRendered}
        increaseViewportBy={left > 0 ? aroundLastScreen : around}
        defaultItemHeight={usualHeight}
        itemContent={(_, item) => (
          <FocusedMessage itemKey={item.key}>
            <RegionBoundary resetKey={item} text={plainText(item)}>
              <ChatArticle item={item} thread={thread} approvals={approvals} />
            </RegionBoundary>
          </FocusedMessage>
        )}
      />
      {!follow.following && (
        <div className="absolute inset-x-0 bottom-3 flex justify-center">
          <Button icon={<ArrowDown size={14} aria-hidden />} className="rounded-full" onClick={follow.toEnd}>
            {labels.jump}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Characters that fit in a line, at most, and pixels that a line and an item have at least. */
const [lineLength, lineHeight, itemHeight] = [110, 20, 28]

/** The index of the first of the items that fill the conversation's part of the window, however low they are. */
function startOfLastScreen(items: readonly ChatItem[]): number {
  let [start, left] = [items.length, window.innerHeight * 0.75]
  while (start > 0 && left > 0) {
    start -= 1
    const item = items[start]
    if (item) left -= itemHeight + Math.floor(plainText(item).length / lineLength) * lineHeight
  }
  return start
}

/** The conversation, then what is happening now: approvals of subagents, the reply being written, queued messages. */
function useChatItems(thread: ThreadState): readonly ChatItem[] {
  const ends = useApp((state) => state.timeline.ends.get(thread.id) ?? noEnds)
  const streaming = useApp((state) => state.live.streaming.get(thread.id))
  const broken = useApp((state) => state.live.broken.get(thread.id) ?? noReplies)
  const below = useAppList((state) =>
    thread.parent ? [] : activeFamily(state).flatMap((other) => (other.id === thread.id ? [] : other.interrupts)),
  )
  const times = useApp((state) => state.timeline.messageTimes)
  const transcript = useMemo(() => buildTranscript(thread, ends, times), [thread, ends, times])
  return useMemo(() => {
    const items: ChatItem[] = [...transcript]
    for (const interrupt of below) items.push({ kind: 'approvals', key: `interrupt-${interrupt.id}`, interrupt })
    for (const { messageId, text } of broken) items.push({ kind: 'broken', key: `broken-${messageId}`, text })
    if (streaming) items.push(streamingItem(streaming, hasSpoken(transcript)))
    if (thread.status === 'working' || thread.status === 'queued') items.push({ kind: 'working', key: 'working' })
    return items
  }, [transcript, below, broken, streaming, thread])
}
