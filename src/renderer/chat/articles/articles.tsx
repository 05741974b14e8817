import { Brain, FoldVertical, Info, type LucideIcon, Unplug } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { textOf, type UserMessage } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import { noticeIn } from '#shared/model/messages/notice.ts'
import type { Compaction, ThreadState } from '#shared/model/thread.ts'
import { formatTime } from '#shared/text/format.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { useEdit } from '../../state/hooks/use-edit.ts'
import { strings } from '../../strings/strings.ts'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { withKeys } from '../../ui/react/elements.tsx'
import { EditMessage } from '../edit-message.tsx'
import { MessageMenu, UserText } from '../user-message.tsx'

const GoalNotice = lazy(async () => ({ default: (await import('../goal-notice.tsx')).GoalNotice }))

const labels = strings.chat

function Time({ at }: { at: number | undefined }): ReactNode {
  return at ? <time className="text-faint text-xs tabular-nums">{formatTime(at)}</time> : null
}

interface UserArticleProps {
  readonly thread: ThreadState
  readonly message: UserMessage
  readonly at: number | undefined
}

export function UserArticle({ thread, message, at }: UserArticleProps): ReactNode {
  const [edit, setEdit] = useEdit(`message ${message.messageId}`)
  /** Whether the person began to edit here. A field that only came back into view must not take the focus. */
  const [began, setBegan] = useState(false)
  const author = { person: labels.you, parent: labels.fromParent, notice: labels.notice }[message.origin]
  if (message.origin === 'notice') {
    const notice = noticeIn(message)
    return notice?.kind === 'goal' ? (
      <Suspense>
        <GoalNotice thread={thread} message={message} names={notice.checks} />
      </Suspense>
    ) : (
      <NoticeArticle text={textOf(message.content)} />
    )
  }
  const begin = (): void => {
    const { text } = readMessageNotes(textOf(message.content))
    setBegan(true)
    setEdit(edit ?? { before: text, typed: text })
  }
  return (
    <article aria-label={author} className="mt-2 rounded-lg border border-line bg-panel px-3 py-2">
      <header className="flex items-center gap-2">
        <h2 className="font-semibold">{author}</h2>
        <Time at={at} />
        {message.origin === 'person' && <MessageMenu thread={thread} message={message} onEdit={begin} />}
      </header>
      {edit ? (
        <EditMessage thread={thread} message={message} edit={edit} focused={began} onEdit={setEdit} />
      ) : (
        <UserText text={textOf(message.content)} />
      )}
      <div className="flex flex-wrap gap-2">
        {withKeys(message.content).map(({ key, item }) =>
          item.type === 'image' ? (
            <img
              key={key}
              alt={labels.image}
              src={`data:${item.mediaType};base64,${item.data}`}
              className="mt-2 max-h-60 max-w-full rounded-md border border-line"
            />
          ) : null,
        )}
      </div>
    </article>
  )
}

function NoticeArticle({ text }: { text: string }): ReactNode {
  return (
    <article aria-label={labels.notice} className="flex gap-2 px-1 text-muted">
      <Info size={14} aria-hidden className="mt-1 shrink-0" />
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
    </article>
  )
}

/** The beginning of a reply whose connection broke. The reply is asked for again. */
export function BrokenArticle({ text }: { text: string }): ReactNode {
  return (
    <article aria-label={labels.brokenOff} className="my-1 border-line-strong border-l-2 pl-3">
      <p className="flex items-center gap-1 text-muted text-xs">
        <Unplug size={13} aria-hidden />
        {labels.brokenOff}
      </p>
      <div dir="auto" className="whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">
        {text}
      </div>
    </article>
  )
}

interface ReplyProps {
  readonly agent: string
  readonly text: string
  readonly at: number | undefined
  readonly continues: boolean
  /** The model that said it, for people; null for the thread's own. */
  readonly by?: string | null
  /**
   * True while the reply is still growing. The same article shows the complete reply, so that nothing on screen
   * moves.
   */
  readonly writing?: boolean
  /** Shown in place of the text. */
  readonly structured?: ReactNode
  /** Shown below the text. */
  readonly children?: ReactNode
}

export function ReplyArticle(props: ReplyProps): ReactNode {
  const { agent, text, at, continues, by = null, writing = false, structured, children } = props
  return (
    <article aria-label={agent} {...(writing && { 'aria-busy': true })} className="relative px-1 py-1">
      {!continues && (
        <header className="flex items-baseline gap-2">
          <h2 className="font-semibold">
            <VisibleText text={agent} />
          </h2>
          <Time at={at} />
          {by !== null && (
            <span className="min-w-0 truncate text-faint text-xs">
              <VisibleText text={labels.saidBy(by)} />
            </span>
          )}
        </header>
      )}
      {structured ?? <Markdown text={text} writing={writing} />}
      {children}
      {!writing && !structured && (
        <CopyButton label={labels.copyReply} text={text} className="absolute top-0 right-0" />
      )}
    </article>
  )
}

interface PonderingProps {
  readonly agent: string
  readonly thinking: string
  readonly continues: boolean
}

/** The last lines of an agent's thinking, before it answers. */
export function PonderingArticle({ agent, thinking, continues }: PonderingProps): ReactNode {
  return (
    <article aria-label={agent} aria-busy className="px-1 py-1">
      {!continues && (
        <h2 className="font-semibold">
          <VisibleText text={agent} />
        </h2>
      )}
      <p className="line-clamp-3 whitespace-pre-wrap text-muted">{thinking.slice(-400)}</p>
    </article>
  )
}

export function ThinkingArticle({ text }: { text: string }): ReactNode {
  return <FoldedArticle icon={Brain} title={labels.thinking} text={text} />
}

export function CompactedArticle({ compaction }: { compaction: Compaction }): ReactNode {
  return <FoldedArticle icon={FoldVertical} title={labels.compacted} text={compaction.summary} />
}

interface FoldedProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
}

function FoldedArticle({ icon: Icon, title, text }: FoldedProps): ReactNode {
  const [open, setOpen] = useState(false)
  return (
    <article aria-label={title}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-7 items-center gap-1.5 rounded-md px-1 text-muted hover:bg-hover"
      >
        <Icon size={14} aria-hidden />
        {title}
      </button>
      {open && <p className="ml-6 whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">{text}</p>}
    </article>
  )
}
