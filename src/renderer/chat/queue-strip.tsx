import { ArrowDown, ArrowUp, CornerDownRight, Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { MessageId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/message-notes.ts'
import type { QueuedMessage, ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { draftKey, readDraft, showDraft } from '../state/preferences/draft.ts'
import { isRunning } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { TextArea } from '../ui/controls/field.tsx'
import { toastNote } from '../ui/controls/toast.ts'

const labels = strings.chat.queue

/** The messages that wait to be delivered, above the message box. They stay after a stop, with what can be done. */
export function QueueStrip({ thread }: { thread: ThreadState }): ReactNode {
  const changing = useCommand()
  const rewrites = useRewrites(thread)
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
                rewrites={rewrites}
              />
            </li>
          ))}
        </ol>
        {changing.refusal && <RefusalNotice refusal={changing.refusal} />}
      </div>
    </section>
  )
}

/** What the person types in place of a waiting text. */
interface Rewrite {
  readonly before: string
  readonly typed: string
  readonly saving: boolean
}

interface Rewrites {
  readonly open: ReadonlyMap<MessageId, Rewrite>
  /** Null closes the field. */
  change(messageId: MessageId, rewrite: Rewrite | null): void
}

/** The texts that are being rewritten. One that is delivered too early goes to the message box, behind what is there. */
function useRewrites({ id, queue }: ThreadState): Rewrites {
  const key = draftKey(useProjectId(), id)
  const [open, setOpen] = useState<ReadonlyMap<MessageId, Rewrite>>(new Map())
  useEffect(() => {
    const isLate = ([messageId, { saving }]: readonly [MessageId, Rewrite]): boolean =>
      !saving && !queue.some((queued) => queued.messageId === messageId)
    const late = [...open].filter(isLate)
    if (late.length === 0) return
    const typed = late.flatMap(([, rewrite]) => (rewrite.typed === rewrite.before ? [] : [rewrite.typed]))
    const draft = readDraft(localStorage, key)
    if (typed.length > 0) {
      showDraft(window, key, [...(draft === '' ? [] : [draft]), ...typed].join('\n\n'))
      toastNote(labels.late)
      // The field had the focus, so the person may be typing on.
      if (document.activeElement === document.body)
        document.querySelector<HTMLElement>(`[aria-label="${strings.chat.message}"]`)?.focus()
    }
    setOpen(new Map([...open].filter((one) => !isLate(one))))
  }, [open, queue, key])
  return {
    open,
    change: (messageId, rewrite) =>
      setOpen((before) => {
        const others = [...before].filter(([other]) => other !== messageId)
        return new Map(rewrite ? [...others, [messageId, rewrite]] : others)
      }),
  }
}

interface QueuedRowProps {
  readonly thread: ThreadState
  readonly queued: QueuedMessage
  readonly running: boolean
  /** From 1. */
  readonly place: number
  readonly of: number
  readonly changing: Command
  readonly rewrites: Rewrites
}

function QueuedRow({ thread, queued, running, place, of, changing, rewrites }: QueuedRowProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const { messageId, delivery } = queued
  const { text } = readMessageNotes(textOf(queued.content))
  const target = { projectId, threadId: thread.id }
  const edit = (change: Parameters<typeof client.threads.editQueue>[0]['edit']): Promise<boolean> =>
    changing.run(() => client.threads.editQueue({ ...target, edit: change }))
  const rewrite = rewrites.open.get(messageId)
  if (rewrite) {
    return (
      <QueuedText
        typed={rewrite.typed}
        busy={rewrite.saving}
        onType={(typed) => rewrites.change(messageId, { ...rewrite, typed })}
        onCancel={() => rewrites.change(messageId, null)}
        onSave={async () => {
          rewrites.change(messageId, { ...rewrite, saving: true })
          const saved = await edit({ kind: 'rewrite', messageId, text: rewrite.typed })
          rewrites.change(messageId, saved ? null : rewrite)
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
      <IconButton
        label={labels.edit(place)}
        className="size-6!"
        onClick={() => rewrites.change(messageId, { before: text, typed: text, saving: false })}
      >
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
  readonly typed: string
  /** True while it is being saved. It cannot be changed then. */
  readonly busy: boolean
  readonly onType: (typed: string) => void
  readonly onCancel: () => void
  readonly onSave: () => void
}

function QueuedText({ typed, busy, onType, onCancel, onSave }: QueuedTextProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape') || event.shiftKey) return
    event.preventDefault()
    if (event.key === 'Escape') onCancel()
    else if (typed.trim() !== '' && !busy) onSave()
  }
  return (
    <div className="flex items-end gap-2 p-1.5">
      <TextArea
        ref={field}
        aria-label={labels.field}
        rows={Math.min(typed.split('\n').length, 8)}
        value={typed}
        readOnly={busy}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button onClick={onCancel}>{strings.common.cancel}</Button>
      <Button disabled={busy || typed.trim() === ''} onClick={onSave}>
        {strings.common.save}
      </Button>
    </div>
  )
}
