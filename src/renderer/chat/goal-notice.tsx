import { Target } from 'lucide-react'
import type { ReactNode } from 'react'
import type { UserMessage } from '#shared/model/message.ts'
import { textOf } from '#shared/model/message.ts'
import { noticeIn } from '#shared/model/messages/notice.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { reachable } from '../ui/react/elements.tsx'

const labels = strings.checks.goal

interface GoalNoticeProps {
  readonly thread: ThreadState
  readonly message: UserMessage
  readonly names: readonly string[]
}

/** Says that the agent was sent back because checks are red. What it was told is folded below. */
export function GoalNotice({ thread, message, names }: GoalNoticeProps): ReactNode {
  return (
    <article aria-label={strings.chat.notice} className="flex gap-2 px-1 text-muted">
      <Target size={14} aria-hidden className="mt-1 shrink-0 text-warn" />
      <div className="min-w-0 flex-1">
        <p className="text-text">
          <VisibleText text={labels.sentBack(names, placeOf(thread, message), thread.goal?.attempts ?? null)} />
        </p>
        <details>
          <summary className="cursor-pointer text-xs">{labels.output}</summary>
          <pre
            {...reachable}
            className="mt-1 max-h-72 overflow-auto whitespace-pre-wrap rounded-md border border-line bg-panel px-2 py-1 font-mono text-xs [overflow-wrap:anywhere]"
          >
            <VisibleText text={textOf(message.content)} />
          </pre>
        </details>
      </div>
    </article>
  )
}

/** The place of this notice among those since a person last wrote, from 1. */
function placeOf({ messages }: ThreadState, message: UserMessage): number {
  const until = messages.slice(0, messages.findIndex(({ messageId }) => messageId === message.messageId) + 1)
  const asked = until.findLastIndex((one) => one.role === 'user' && one.origin === 'person')
  return until.slice(asked + 1).filter((one) => one.role === 'user' && noticeIn(one)?.kind === 'goal').length
}
