import { Ellipsis, MessageSquareQuote } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { AttemptsWish } from '#shared/model/calls/attempts.ts'
import { checkpointBefore } from '#shared/model/derived/checkpoints.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { textOf, type UserMessage } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import type { LineComment } from '../parts/review/line-comment.ts'
import { placeOf, readReview } from '../parts/review/review-message.ts'
import { useClient, useCommand, useProjectId, useSession, useUpdateUi } from '../state/hooks/hooks.tsx'
import { openFile, showRewind, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { Menu, type MenuChoice } from '../ui/controls/menu.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { reachable, withKeys } from '../ui/react/elements.tsx'
import { GivenInputs } from './given-inputs.tsx'

const TryWaysDialog = lazy(async () => ({ default: (await import('./attempts/try-ways-dialog.tsx')).TryWaysDialog }))

const labels = strings.rewind
const attemptLabels = strings.attempts
const reviewLabels = strings.review

interface MessageMenuProps {
  readonly thread: ThreadState
  readonly message: UserMessage
  readonly onEdit: () => void
}

/** The commands for the state before one of the person's messages. */
export function MessageMenu({ thread, message, onEdit }: MessageMenuProps): ReactNode {
  const session = useSession()
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const before = (): Sequence | undefined =>
    checkpointBefore(session.store.getState().project.past.threads.get(thread.id), message.messageId)
  const fork = (): Promise<boolean> =>
    command.run(async () => {
      const title = labels.forked(thread.title)
      const { threadId } = await client.rewind.fork({ projectId, threadId: thread.id, to: before() ?? 0, title })
      session.updateUi((ui) => showThread(ui, threadId))
    })
  const [isTrying, setTrying] = useState(false)
  const tryWays = async (attempts: AttemptsWish): Promise<void> => {
    const { text } = readMessageNotes(textOf(message.content))
    const images = message.content.filter((part) => part.type === 'image')
    const sent = await command.run(() =>
      client.threads.send({ projectId, threadId: thread.id, text, images, delivery: 'queue', step: false, attempts }),
    )
    if (sent) setTrying(false)
  }
  const agent = agentIn(thread.model)
  const anew = agent === null ? {} : { hint: labels.anewHint(agent) }
  const choices: readonly MenuChoice[] = [
    {
      id: 'rewind',
      label: labels.toBefore,
      ...anew,
      onSelect: () => session.updateUi((ui) => showRewind(ui, before() ?? null)),
    },
    { id: 'edit', label: labels.edit, ...anew, onSelect: onEdit },
    ...(thread.parent || agent !== null
      ? []
      : [
          {
            ...{ id: 'attempts', label: attemptLabels.try, hint: attemptLabels.tryHint },
            onSelect: () => setTrying(true),
          },
        ]),
    ...(thread.parent ? [] : [{ id: 'fork', label: labels.fork, onSelect: () => void fork() }]),
  ]
  const label = labels.actions(readMessageNotes(textOf(message.content)).text.slice(0, 40))
  return (
    <>
      <Menu
        choices={choices}
        trigger={
          <IconButton label={label} className="ml-auto">
            <Ellipsis size={15} aria-hidden />
          </IconButton>
        }
      />
      {command.refusal && !isTrying && <RefusalNotice refusal={command.refusal} />}
      {isTrying && (
        <Suspense>
          <TryWaysDialog
            busy={command.busy}
            refusal={command.refusal}
            onStart={(attempts) => void tryWays(attempts)}
            onClose={() => setTrying(false)}
          />
        </Suspense>
      )}
    </>
  )
}

/** A person's message. Review comments are shown as comments, inputs as files, everything else as plain text. */
export function UserText({ text: message }: { text: string }): ReactNode {
  const { text, answerSchema, inputs, skill, command } = useMemo(() => readMessageNotes(message), [message])
  const comments = useMemo(() => readReview(text), [text])
  if (!comments) {
    return (
      <>
        <div dir="auto" className="whitespace-pre-wrap text-base [overflow-wrap:anywhere]">
          {text}
        </div>
        <GivenInputs inputs={inputs} answerSchema={answerSchema} skill={skill} command={command} />
      </>
    )
  }
  return (
    <>
      <p className="flex items-center gap-1.5 text-muted text-xs">
        <MessageSquareQuote size={13} aria-hidden />
        {reviewLabels.inChat(comments.length)}
      </p>
      <ul className="flex flex-col divide-y divide-line">
        {withKeys(comments).map(({ key, item }) => (
          <SentComment key={key} comment={item} />
        ))}
      </ul>
    </>
  )
}

function SentComment({ comment: { path, range, quote, text } }: { comment: LineComment }): ReactNode {
  const updateUi = useUpdateUi()
  return (
    <li className="flex flex-col gap-1 py-2">
      <button
        type="button"
        onClick={() => updateUi((ui) => openFile(ui, path))}
        className="flex min-h-6 max-w-full items-center gap-2 text-left text-muted text-xs hover:underline"
      >
        <PathText path={path} />
        <span className="shrink-0">{placeOf(range)}</span>
      </button>
      {quote.length > 0 && (
        <section
          aria-label={reviewLabels.quoted}
          {...reachable}
          className="max-h-40 overflow-auto whitespace-pre border-line-strong border-l-2 pl-2 font-mono text-muted text-xs"
        >
          <VisibleText text={quote.join('\n')} />
        </section>
      )}
      <p dir="auto" className="whitespace-pre-wrap text-base [overflow-wrap:anywhere]">
        {text}
      </p>
    </li>
  )
}
