import { type KeyboardEvent, type ReactNode, useState } from 'react'
import type { ActionRequest, Decision, Interrupt } from '#shared/model/interrupt.ts'
import { AlwaysAllowDialog } from './always-allow-dialog.tsx'
import { ApprovalActions } from './approval-actions.tsx'
import {
  approval,
  type CardAction,
  cardKey,
  type Draft,
  draftOf,
  hostsIn,
  offeredActions,
  rejection,
} from './approval-logic.ts'
import { CallPreview } from './call-preview.tsx'
import { CardFrame } from './card-frame.tsx'
import { EditBox } from './edit-box.tsx'
import { NetworkGrant } from './network-grant.tsx'
import { useArmed } from './use-armed.ts'

export interface CardProps {
  readonly interrupt: Interrupt
  readonly request: ActionRequest
  readonly position: string
  readonly busy: boolean
  readonly onDecide: (decision: Decision) => void
}

/** One call that waits: what it would do, exactly, and the answers. */
export function ApprovalCard({ interrupt, request, position, busy, onDecide }: CardProps): ReactNode {
  const armed = useArmed(request.callId)
  const [draft, setDraft] = useState<Draft | null>(null)
  const [reason, setReason] = useState('')
  const [allowing, setAllowing] = useState(false)
  const [network, setNetwork] = useState('')
  const hosts = hostsIn(network)
  const edited = hosts && approval(request, draft, hosts)
  const offered = offeredActions(interrupt, request, draft !== null)
  const approvable = edited !== null && offered.has(edited.type === 'edit' ? 'edit' : 'approve')
  const ready = armed && !busy

  function act(action: CardAction): void {
    if (!ready || !offered.has(action)) return
    if (action === 'edit') setDraft(draft ? null : draftOf(request))
    else if (action === 'reject') onDecide(rejection(request, reason))
    else if (action === 'allow') setAllowing(true)
    else if (edited && approvable) onDecide(edited)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const withModifier = event.ctrlKey || event.metaKey
    const action =
      withModifier && event.key === 'Enter'
        ? 'approve'
        : withModifier || event.altKey
          ? null
          : cardKey(event.key, ready, isTyping(event.target))
    if (!action) return
    event.preventDefault()
    act(action)
  }

  return (
    <>
      <CardFrame interrupt={interrupt} request={request} position={position} onKeyDown={onKeyDown}>
        {draft ? (
          <EditBox
            draft={draft}
            original={draftOf(request).text}
            invalid={hosts !== null && edited === null}
            onChange={(text) => setDraft({ ...draft, text })}
          />
        ) : (
          <CallPreview threadId={interrupt.threadId} request={request} />
        )}
        {request.name === 'execute' && (
          <NetworkGrant request={request} value={network} invalid={hosts === null} onChange={setNetwork} />
        )}
        <ApprovalActions
          offered={offered}
          ready={ready}
          approvable={approvable}
          editing={draft !== null}
          reason={reason}
          onReason={setReason}
          onAct={act}
        />
      </CardFrame>
      {/* Beside the card: keys pressed in the dialog are not meant for it. */}
      {allowing && (
        <AlwaysAllowDialog
          threadId={interrupt.threadId}
          request={request}
          onClose={() => setAllowing(false)}
          onAllowed={() => {
            setAllowing(false)
            onDecide({ type: 'approve', callId: request.callId })
          }}
        />
      )}
    </>
  )
}

function isTyping(target: EventTarget): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
}
