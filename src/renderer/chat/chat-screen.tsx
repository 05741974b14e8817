import { ArrowDown, ArrowLeft, RotateCcw } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from 'react'
import { type Components, Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import { textOf } from '#shared/model/message.ts'
import { canBeRestored, restorableUntil, type ThreadState } from '#shared/model/thread.ts'
import { formatDate } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { RegionBoundary } from '../parts/region-boundary.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useApp, useAppList, useClient, useCommand, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import type { Streaming } from '../state/store/live.ts'
import { activeFamily, activeRoot, activeThread, deletedRoot, isUnread, modelName } from '../state/store/selectors.ts'
import type { RunEnd } from '../state/store/timeline.ts'
import { showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { AriaElement } from '../ui/react/elements.tsx'
import { answerJson } from './answer/answer-shape.ts'
import { AnswerProblem, AnswerView } from './answer/answer-view.tsx'
import {
  BrokenArticle,
  CompactedArticle,
  PonderingArticle,
  ReplyArticle,
  ThinkingArticle,
  UserArticle,
} from './articles.tsx'
import { Composer, type ComposerSlots } from './composer/composer.tsx'
import { EmptyChat } from './empty-chat.tsx'
import { BranchStrip } from './end/branch-strip.tsx'
import { EndCard } from './end/end-card.tsx'
import { useShowFocusedCall } from './focused-call.ts'
import { FocusedMessage, useShowFocusedMessage } from './focused-message.tsx'
import { QueueStrip } from './queue-strip.tsx'
import { RewindCard, WorkingLine } from './run-cards.tsx'
import { StepCard } from './step-card.tsx'
import { ToolCalls } from './tool-calls.tsx'
import { buildTranscript, hasSpoken, type StreamingItem, streamingItem, type TranscriptItem } from './transcript.ts'
import { useFollow } from './use-follow.ts'

const FallbackNote = lazy(async () => ({ default: (await import('./fallback-note.tsx')).FallbackNote }))

const labels = strings.chat
const threadLabels = strings.threads

interface ChatSlots extends ComposerSlots {
  /** Renders the approval cards of one interrupt. */
  readonly approvals: (interrupt: Interrupt) => ReactNode
}

type ChatItem =
  | TranscriptItem
  | StreamingItem
  | { readonly kind: 'working'; readonly key: string }
  | { readonly kind: 'broken'; readonly key: string; readonly text: string }

type TextItem = Extract<TranscriptItem, { kind: 'text' }>

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
              <Article item={item} thread={thread} approvals={approvals} />
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

interface ArticleProps {
  readonly item: ChatItem
  readonly thread: ThreadState
  readonly approvals: ChatSlots['approvals']
}

function Article({ item, thread, approvals }: ArticleProps): ReactNode {
  switch (item.kind) {
    case 'user':
      return <UserArticle thread={thread} message={item.message} at={item.at} />
    case 'text':
      return <SpokenArticle thread={thread} item={item} />
    case 'writing':
      return <ReplyArticle agent={thread.agent} text={item.text} at={item.at} continues={item.continues} writing />
    case 'fallback':
      return (
        <Suspense fallback={<p className="h-7" />}>
          <FallbackNote fallback={item.fallback} />
        </Suspense>
      )
    case 'compacted':
      return <CompactedArticle compaction={item.compaction} />
    case 'thinking':
      return <ThinkingArticle text={item.text} />
    case 'calls':
      return <ToolCalls threadId={thread.id} calls={item.calls} />
    case 'approvals':
      return approvals(item.interrupt)
    case 'rewind':
      return <RewindCard thread={thread} note={item.note} last={item.last} />
    case 'end':
      return <EndCard thread={thread} end={item.end} last={item.last} />
    case 'step':
      return <StepCard thread={thread} {...item} />
    case 'pondering':
      return <PonderingArticle agent={thread.agent} thinking={item.thinking} continues={item.continues} />
    case 'working':
      return <WorkingLine thread={thread} />
    case 'broken':
      return <BrokenArticle text={item.text} />
  }
}

/** The words of an item, for one that cannot be drawn. Empty for cards. */
function plainText(item: ChatItem): string {
  switch (item.kind) {
    case 'user':
      return textOf(item.message.content)
    case 'text':
    case 'writing':
    case 'broken':
    case 'thinking':
      return item.text
    default:
      return ''
  }
}

/** A text of the agent. A structured answer is shown by its structure. */
function SpokenArticle({ thread, item }: { thread: ThreadState; item: TextItem }): ReactNode {
  const { text, at, continues, answer, model } = item
  const by = useApp((state) => (model === null ? null : modelName(state, model)))
  const said = { agent: thread.agent, text, at, continues, by }
  const json = useMemo(() => (answer === null ? undefined : answerJson(text)), [answer, text])
  if (answer === null) return <ReplyArticle {...said} />
  const isLast = thread.answerSchema !== null && thread.messages.at(-1)?.messageId === answer && thread.end !== null
  return (
    <ReplyArticle {...said} {...(json !== undefined && { structured: <AnswerView value={json} /> })}>
      {isLast && <AnswerProblem threadId={thread.id} messageId={answer} />}
    </ReplyArticle>
  )
}

/** Replaces the message box of a deleted thread, which can still be read, and restored for some days. */
function DeletedNotice({ thread: { id: threadId, deletedAt } }: { thread: ThreadState }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const restoring = useCommand()
  const until = restorableUntil(deletedAt ?? 0)
  return (
    <div className="shrink-0 border-line border-t px-4 py-3">
      <div className="mx-auto flex max-w-3xl flex-col gap-2">
        <Notice
          tone="warning"
          title={threadLabels.deletedTitle}
          detail={threadLabels.deletedUntil(formatDate(until))}
          actions={
            canBeRestored(deletedAt ?? 0, Date.now()) && (
              <Button
                icon={<RotateCcw size={14} aria-hidden />}
                disabled={restoring.busy}
                onClick={() => void restoring.run(() => client.threads.restore({ projectId, threadId }))}
              >
                {threadLabels.restore}
              </Button>
            )
          }
        />
        {restoring.refusal && <RefusalNotice refusal={restoring.refusal} />}
      </div>
    </div>
  )
}
