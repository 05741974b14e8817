import { ArrowDown, ArrowUp, CornerDownRight, Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import type { MessageId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import type { QueuedMessage, ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { type Command, useApp, useClient, useCommand, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import { draftKey, readDraft, showDraft } from '../state/preferences/draft.ts'
import { changeRewrites, type Rewrite, rewritesOf } from '../state/store/rewrites.ts'
import { isRunning } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { toastNote, toastWithUndo } from '../ui/controls/toast.ts'
import { CompletedText } from './composer/completion/completed-text.tsx'

const labels = strings.chat.queue

/** The messages that wait to be delivered, above the message box. They stay after a stop, with what can be done. */
export function QueueStrip({ thread }: { thread: ThreadState }): ReactNode {
  const changing = useCommand()
  const rewriting = useRewriting(thread)
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
                rewriting={rewriting}
              />
            </li>
          ))}
        </ol>
        {changing.refusal && <RefusalNotice refusal={changing.refusal} />}
      </div>
    </section>
  )
}

interface Rewriting {
  readonly open: ReadonlyMap<MessageId, Rewrite>
  /** The messages whose new text is being saved. */
  readonly saving: ReadonlySet<MessageId>
  /** Null closes the field. */
  change(messageId: MessageId, rewrite: Rewrite | null): void
  /** Sends the new text to the host. The field closes when that worked. */
  save(messageId: MessageId, send: () => Promise<boolean>): Promise<void>
}

/**
 * The texts that are being rewritten. They stay when the person leaves the thread or loads the page again. One that is
 * delivered too early goes to the message box, behind what is there.
 */
function useRewriting({ id, queue }: ThreadState): Rewriting {
  const { store } = useSession()
  const key = draftKey(useProjectId(), id)
  const rewrites = useApp((state) => state.rewrites)
  const isReading = useApp((state) => state.reading !== null)
  const [saving, setSaving] = useState<ReadonlySet<MessageId>>(new Set())
  const open = useMemo(() => new Map(rewritesOf(rewrites, id)), [rewrites, id])
  const change = useCallback(
    (changes: Parameters<typeof changeRewrites>[2]) =>
      store.setState((state) => ({ rewrites: changeRewrites(state.rewrites, id, changes) })),
    [store, id],
  )
  useEffect(() => {
    if (isReading) return
    const isLate = ([messageId]: readonly [MessageId, Rewrite]): boolean =>
      !saving.has(messageId) && !queue.some((queued) => queued.messageId === messageId)
    const late = [...open].filter(isLate)
    if (late.length === 0) return
    const typed = late.flatMap(([, rewrite]) => (rewrite.typed === rewrite.before ? [] : [rewrite.typed]))
    const draft = readDraft(localStorage, key)
    if (typed.length > 0) {
      const moved = typed.join('\n\n')
      // All windows on the thread share its box, and another one may have moved the text there already.
      if (!draft.endsWith(moved)) showDraft(window, key, draft === '' ? moved : `${draft}\n\n${moved}`)
      toastNote(labels.late)
      // The field had the focus, so the person may be typing on.
      if (document.activeElement === document.body)
        document.querySelector<HTMLElement>(`[aria-label="${strings.chat.message}"]`)?.focus()
    }
    change(late.map(([messageId]) => [messageId, null]))
  }, [open, saving, queue, key, isReading, change])
  return {
    open,
    saving,
    change: (messageId, rewrite) => change([[messageId, rewrite]]),
    async save(messageId, send) {
      setSaving((before) => new Set([...before, messageId]))
      if (await send()) change([[messageId, null]])
      setSaving((before) => new Set([...before].filter((one) => one !== messageId)))
    },
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
  readonly rewriting: Rewriting
}

function QueuedRow({ thread, queued, running, place, of, changing, rewriting }: QueuedRowProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const { messageId, delivery } = queued
  const { text } = readMessageNotes(textOf(queued.content))
  const target = { projectId, threadId: thread.id }
  const edit = (change: Parameters<typeof client.threads.editQueue>[0]['edit']): Promise<boolean> =>
    changing.run(() => client.threads.editQueue({ ...target, edit: change }))
  const offerUndo = useOfferUndo()
  async function remove(): Promise<void> {
    const at = thread.queue.indexOf(queued)
    const restore = { kind: 'restore' as const, messageId, at: Math.max(at, 0) }
    if (await edit({ kind: 'remove', messageId }))
      offerUndo(labels.removed, () => client.threads.editQueue({ ...target, edit: restore }))
  }
  /** Whether the person began to rewrite here. A field that only came back into view must not take the focus. */
  const [began, setBegan] = useState(false)
  const rewrite = rewriting.open.get(messageId)
  if (rewrite) {
    return (
      <QueuedText
        typed={rewrite.typed}
        focused={began}
        busy={rewriting.saving.has(messageId)}
        onType={(typed) => rewriting.change(messageId, { ...rewrite, typed })}
        elsewhere={rewrite.before !== text}
        onCancel={() => {
          rewriting.change(messageId, null)
          if (rewrite.typed === rewrite.before) return
          const onUndo = (): void => rewriting.change(messageId, rewrite)
          toastWithUndo({ message: labels.dropped, undoLabel: strings.common.undo, onUndo })
        }}
        onSave={() => void rewriting.save(messageId, () => edit({ kind: 'rewrite', messageId, text: rewrite.typed }))}
      />
    )
  }
  const isExternal = agentIn(thread.model) !== null
  return (
    <article aria-label={strings.chat.you} className="flex min-h-7 items-center gap-1.5 py-0.5 pr-1 pl-2">
      <CornerDownRight size={13} aria-hidden className="shrink-0 text-faint" />
      <p dir="auto" title={text} className="min-w-0 flex-1 truncate">
        {text}
      </p>
      <span className="hidden shrink-0 text-muted text-xs sm:inline">
        {running ? aboutWaiting(delivery, isExternal) : labels.stopped}
      </span>
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
        onClick={() => {
          setBegan(true)
          rewriting.change(messageId, { before: text, typed: text })
        }}
      >
        <Pencil size={13} aria-hidden />
      </IconButton>
      <IconButton
        label={labels.remove(place)}
        className="size-6!"
        disabled={changing.busy}
        onClick={() => void remove()}
      >
        <Trash2 size={13} aria-hidden />
      </IconButton>
      {(!running || (delivery === 'queue' && !isExternal)) && (
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
  /** Whether the field takes the focus when it appears. */
  readonly focused: boolean
  /** True while it is being saved. It cannot be changed then. */
  readonly busy: boolean
  /** Whether the waiting text was rewritten in another place meanwhile. */
  readonly elsewhere: boolean
  readonly onType: (typed: string) => void
  readonly onCancel: () => void
  readonly onSave: () => void
}

function QueuedText({ typed, focused, busy, elsewhere, onType, onCancel, onSave }: QueuedTextProps): ReactNode {
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape') || event.shiftKey) return
    event.preventDefault()
    if (event.key === 'Escape') onCancel()
    else if (typed.trim() !== '' && !busy) onSave()
  }
  return (
    <div className="flex flex-wrap items-end gap-2 p-1.5">
      {elsewhere && !busy && <p className="w-full text-warn text-xs">{labels.elsewhere}</p>}
      <CompletedText
        label={labels.field}
        text={typed}
        mostRows={8}
        focused={focused}
        readOnly={busy}
        onText={onType}
        onKeyDown={onKeyDown}
      />
      <Button onClick={onCancel}>{strings.common.cancel}</Button>
      <Button disabled={busy || typed.trim() === ''} onClick={onSave}>
        {strings.common.save}
      </Button>
    </div>
  )
}

/** An external agent hears nothing during its turn. */
function aboutWaiting(delivery: QueuedMessage['delivery'], isExternal: boolean): string {
  if (isExternal) return labels.external
  return delivery === 'steer' ? labels.steering : labels.queued
}
