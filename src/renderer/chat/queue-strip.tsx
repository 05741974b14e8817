import { ArrowDown, ArrowUp, CornerDownRight, Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { textOf } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/message-notes.ts'
import type { QueuedMessage, ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { isRunning } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { TextArea } from '../ui/controls/field.tsx'

const labels = strings.chat.queue

/** The messages that wait to be delivered, above the message box. They stay after a stop, with what can be done. */
export function QueueStrip({ thread }: { thread: ThreadState }): ReactNode {
  const changing = useCommand()
  const waiting = thread.queue.filter(({ origin }) => origin === 'person')
  if (waiting.length === 0) return null
  const running = isRunning(thread)
  return (
    <section
      aria-label={labels.title}
      className="max-h-[30vh] shrink-0 overflow-y-auto border-line border-t px-4 py-1.5"
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-1">
        {!running && <p className="text-muted text-xs">{labels.left(waiting.length)}</p>}
        <ol className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {waiting.map((queued, index) => (
            <li key={queued.messageId}>
              <QueuedRow
                thread={thread}
                queued={queued}
                running={running}
                place={index + 1}
                of={waiting.length}
                changing={changing}
              />
            </li>
          ))}
        </ol>
        {changing.refusal && <RefusalNotice refusal={changing.refusal} />}
      </div>
    </section>
  )
}

interface QueuedRowProps {
  readonly thread: ThreadState
  readonly queued: QueuedMessage
  readonly running: boolean
  /** From 1. */
  readonly place: number
  readonly of: number
  readonly changing: Command
}

function QueuedRow({ thread, queued, running, place, of, changing }: QueuedRowProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const [editing, setEditing] = useState(false)
  const { messageId, delivery } = queued
  const { text } = readMessageNotes(textOf(queued.content))
  const target = { projectId, threadId: thread.id }
  const edit = (change: Parameters<typeof client.threads.editQueue>[0]['edit']): Promise<boolean> =>
    changing.run(() => client.threads.editQueue({ ...target, edit: change }))
  if (editing) {
    return (
      <QueuedText
        text={text}
        onCancel={() => setEditing(false)}
        onSave={async (next) => {
          if (await edit({ kind: 'rewrite', messageId, text: next })) setEditing(false)
        }}
      />
    )
  }
  const about = !running ? labels.stopped : delivery === 'steer' ? labels.steering : labels.queued
  return (
    <article aria-label={strings.chat.you} className="flex min-h-7 items-center gap-1.5 py-0.5 pr-1 pl-2">
      <CornerDownRight size={13} aria-hidden className="shrink-0 text-faint" />
      <p dir="auto" title={text} className="min-w-0 flex-1 truncate">
        {text}
      </p>
      <span className="hidden shrink-0 text-muted text-xs sm:inline">{about}</span>
      {place > 1 && (
        <IconButton
          label={labels.earlier(place)}
          className="size-6!"
          onClick={() => void edit({ kind: 'move', messageId, by: -1 })}
        >
          <ArrowUp size={13} aria-hidden />
        </IconButton>
      )}
      {place < of && (
        <IconButton
          label={labels.later(place)}
          className="size-6!"
          onClick={() => void edit({ kind: 'move', messageId, by: 1 })}
        >
          <ArrowDown size={13} aria-hidden />
        </IconButton>
      )}
      <IconButton label={labels.edit(place)} className="size-6!" onClick={() => setEditing(true)}>
        <Pencil size={13} aria-hidden />
      </IconButton>
      <IconButton
        label={labels.remove(place)}
        className="size-6!"
        disabled={changing.busy}
        onClick={() => void edit({ kind: 'remove', messageId })}
      >
        <Trash2 size={13} aria-hidden />
      </IconButton>
      {(!running || delivery === 'queue') && (
        <Button
          className="h-6!"
          title={labels.deliverHint}
          disabled={changing.busy}
          onClick={() => void edit({ kind: 'deliver', messageId })}
        >
          {running ? labels.deliverNow : labels.deliver}
        </Button>
      )}
    </article>
  )
}

interface QueuedTextProps {
  readonly text: string
  readonly onCancel: () => void
  readonly onSave: (text: string) => void
}

function QueuedText({ text, onCancel, onSave }: QueuedTextProps): ReactNode {
  const [typed, setTyped] = useState(text)
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape') || event.shiftKey) return
    event.preventDefault()
    if (event.key === 'Escape') onCancel()
    else if (typed.trim() !== '') onSave(typed)
  }
  return (
    <div className="flex items-end gap-2 p-1.5">
      <TextArea
        ref={(field) => field?.focus()}
        aria-label={labels.field}
        rows={Math.min(typed.split('\n').length, 8)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button onClick={onCancel}>{strings.common.cancel}</Button>
      <Button disabled={typed.trim() === ''} onClick={() => onSave(typed)}>
        {strings.common.save}
      </Button>
    </div>
  )
}
