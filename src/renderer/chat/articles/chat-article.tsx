import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import { textOf } from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { modelName } from '../../state/store/selectors.ts'
import { answerJson } from '../answer/answer-shape.ts'
import { AnswerProblem, AnswerView } from '../answer/answer-view.tsx'
import { EndCard } from '../end/end-card.tsx'
import { RewindCard, WorkingLine } from '../run-cards.tsx'
import { StepCard } from '../step-card.tsx'
import { ToolCalls } from '../tool-calls.tsx'
import type { StreamingItem, TranscriptItem } from '../transcript.ts'
import {
  BrokenArticle,
  CompactedArticle,
  PonderingArticle,
  ReplyArticle,
  ThinkingArticle,
  UserArticle,
} from './articles.tsx'

/** What the conversation holds, and what is happening now. */
export type ChatItem =
  | TranscriptItem
  | StreamingItem
  | { readonly kind: 'working'; readonly key: string }
  | { readonly kind: 'broken'; readonly key: string; readonly text: string }

type TextItem = Extract<TranscriptItem, { kind: 'text' }>

interface ArticleProps {
  readonly item: ChatItem
  readonly thread: ThreadState
  /** Renders the approval cards of one interrupt. */
  readonly approvals: (interrupt: Interrupt) => ReactNode
}

/** What one item of the conversation is shown as. */
export function ChatArticle({ item, thread, approvals }: ArticleProps): ReactNode {
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
    case 'stages':
      return (
        <Suspense fallback={<p className="h-7" />}>
          <StageNote said={item.said} />
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
export function plainText(item: ChatItem): string {
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

const StageNote = lazy(async () => ({ default: (await import('./stage-note.tsx')).StageNote }))
const FallbackNote = lazy(async () => ({ default: (await import('../fallback-note.tsx')).FallbackNote }))
