import { ArrowUp } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import { checkpointBefore } from '#shared/model/derived/checkpoints.ts'
import { textOf, type UserMessage } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { useClient, useCommand, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import type { Edit } from '../state/store/edits.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { CompletedText } from './composer/completion/completed-text.tsx'

const labels = strings.rewind

interface EditMessageProps {
  readonly thread: ThreadState
  readonly message: UserMessage
  readonly edit: Edit
  /** Whether the field takes the focus when it appears. */
  readonly focused: boolean
  /** Null closes the edit. */
  readonly onEdit: (edit: Edit | null) => void
}

/** Edits an earlier message and sends it again. Files stay unless the person rewinds them too. */
export function EditMessage({ thread, message, edit, focused, onEdit }: EditMessageProps): ReactNode {
  const session = useSession()
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const given = useMemo(() => readMessageNotes(textOf(message.content)), [message])
  const text = edit.typed
  const [files, setFiles] = useState(false)
  const target = { projectId, threadId: thread.id }

  async function send(): Promise<void> {
    const past = session.store.getState().project.past.threads.get(thread.id)
    const to = checkpointBefore(past, message.messageId) ?? 0
    const sent = await command.run(async () => {
      const { sequence } = await client.rewind.edit({
        ...target,
        to,
        text: `${text}${textOf(message.content).slice(given.text.length)}`,
        files,
      })
      offerUndo(labels.done, () => client.rewind.redo({ ...target, sequence }), labels.doneDetail)
    })
    if (sent) onEdit(null)
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const withModifier = event.ctrlKey || event.metaKey
    if (event.nativeEvent.isComposing || (event.key !== 'Escape' && !(event.key === 'Enter' && withModifier))) return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') onEdit(null)
    else if (text.trim() !== '' && !command.busy) void send()
  }

  return (
    <div className="flex flex-col gap-2 py-1">
      <CompletedText
        label={labels.editLabel}
        text={text}
        mostRows={12}
        focused={focused}
        onText={(typed) => onEdit({ ...edit, typed })}
        onKeyDown={onKeyDown}
      />
      <p className="text-muted text-xs">{labels.editHint}</p>
      <div className="flex flex-wrap items-center gap-2">
        <label className="flex min-h-7 items-center gap-2">
          <input
            type="checkbox"
            checked={files}
            onChange={() => setFiles(!files)}
            className="size-4 accent-accent-solid"
          />
          {labels.alsoFiles}
        </label>
        <span className="ml-auto flex gap-2">
          <Button onClick={() => onEdit(null)}>{strings.common.cancel}</Button>
          <Button
            tone="primary"
            icon={<ArrowUp size={14} aria-hidden />}
            disabled={command.busy || text.trim() === ''}
            onClick={() => void send()}
          >
            {labels.sendAgain}
          </Button>
        </span>
      </div>
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </div>
  )
}
