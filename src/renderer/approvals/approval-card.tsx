import { Check, Pencil, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import type { ActionRequest, Decision, Interrupt } from '#shared/model/interrupt.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { TextInput } from '../ui/field.tsx'
import { allowedFor, approval, cardKey, type Draft, draftOf, rejection } from './approval-logic.ts'
import { CallPreview } from './call-preview.tsx'
import { CardFrame } from './card-frame.tsx'
import { EditBox } from './edit-box.tsx'
import { useArmed } from './use-armed.ts'

const words = strings.approvals

export interface CardProps {
  readonly interrupt: Interrupt
  readonly request: ActionRequest
  readonly position: string
  readonly busy: boolean
  readonly onDecide: (decision: Decision) => void
}

/** One call that waits: what it would do, exactly, and the three answers. */
export function ApprovalCard({ interrupt, request, position, busy, onDecide }: CardProps): ReactNode {
  const armed = useArmed(request.callId)
  const [draft, setDraft] = useState<Draft | null>(null)
  const [reason, setReason] = useState('')
  const allowed = allowedFor(interrupt, request)
  const edited = approval(request, draft)
  const approved = edited && allowed.includes(edited.type) ? edited : null
  const canApprove = allowed.includes('approve') || (draft !== null && allowed.includes('edit'))
  const ready = armed && !busy

  const approve = (): void => void (ready && approved && onDecide(approved))
  const reject = (): void => void (ready && onDecide(rejection(request, reason)))
  const toggleEdit = (): void => setDraft(draft ? null : draftOf(request))

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      approve()
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const action = cardKey(event.key, ready, isTyping(event.target))
    if (!action || !allowed.includes(action)) return
    event.preventDefault()
    if (action === 'approve') approve()
    else if (action === 'edit') toggleEdit()
    else reject()
  }

  return (
    <CardFrame interrupt={interrupt} request={request} position={position} onKeyDown={onKeyDown}>
      {draft ? (
        <EditBox
          draft={draft}
          original={draftOf(request).text}
          invalid={edited === null}
          onChange={(text) => setDraft({ ...draft, text })}
        />
      ) : (
        <CallPreview threadId={interrupt.threadId} request={request} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {canApprove && (
          <Button
            tone="primary"
            icon={<Check size={14} aria-hidden />}
            disabled={!ready || approved === null}
            title={`${words.approve} (Y)`}
            onClick={approve}
          >
            {words.approve}
          </Button>
        )}
        {allowed.includes('edit') && (
          <Button
            icon={<Pencil size={13} aria-hidden />}
            disabled={!ready}
            aria-pressed={draft !== null}
            title={`${words.edit} (E)`}
            onClick={toggleEdit}
          >
            {words.edit}
          </Button>
        )}
        {allowed.includes('reject') && (
          <>
            <Button
              tone="danger"
              icon={<X size={14} aria-hidden />}
              disabled={!ready}
              title={`${words.reject} (N)`}
              onClick={reject}
            >
              {words.reject}
            </Button>
            {!draft && (
              <TextInput
                aria-label={words.reason}
                placeholder={words.reason}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
                onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && !event.metaKey && reject()}
                className="h-7! min-w-40 flex-1"
              />
            )}
          </>
        )}
      </div>
    </CardFrame>
  )
}

function isTyping(target: EventTarget): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
}
