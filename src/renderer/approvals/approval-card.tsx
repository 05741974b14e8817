import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { ActionRequest, Decision, Interrupt } from '#shared/model/interrupt.ts'
import {
  availableActions,
  type CardAction,
  type Draft,
  draftOf,
  oddCharactersOf,
  rejection,
} from '#shared/tools/approval-choices.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { EnvironmentLine } from '../parts/environment-line.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { keysHere } from '../state/preferences/keymap.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextArea } from '../ui/controls/field.tsx'
import { splitVisible, VisibleText } from '../ui/controls/visible-text.tsx'
import { DiffView } from '../ui/diff/diff-view.tsx'
import { diffTexts } from '../ui/diff/line-diff.ts'
import { isTyping } from '../ui/react/keys.ts'
import { AlwaysAllowDialog } from './always-allow-dialog.tsx'
import { ApprovalActions } from './approval-actions.tsx'
import { cardKey, hostsIn, shownApproval, shownDraft } from './approval-logic.ts'
import { CallPreview } from './call-preview.tsx'
import { CardFrame } from './card-frame.tsx'
import { NetworkGrant } from './network-grant.tsx'
import { useAnswer } from './use-answer.ts'
import { useArmed } from './use-armed.ts'

const labels = strings.approvals

export interface CardProps {
  readonly interrupt: Interrupt
  readonly request: ActionRequest
  readonly position: string
  readonly busy: boolean
  readonly onDecide: (decision: Decision) => void
}

/** One call that waits for approval: exactly what it would do, and the answers. */
export function ApprovalCard({ interrupt, request, position, busy, onDecide }: CardProps): ReactNode {
  // A card that the walk brought up is armed anew, so that a key pressed twice decides one call.
  const atHand = useApp(({ ui }) => ui.walkCall === request.callId)
  const armed = useArmed(`${request.callId}${atHand}`)
  const [answer, keep] = useAnswer(interrupt, request)
  const asked = draftOf(request)
  const draft = shownDraft(request, answer)
  const { editing, reason, network } = answer
  /** Whether the person began to edit here. A card that only came back into view must not take the focus. */
  const [began, setBegan] = useState(false)
  const [allowing, setAllowing] = useState(false)
  const hosts = hostsIn(network)
  const edited = shownApproval(request, answer)
  const offered = availableActions(interrupt, request, draft !== null)
  const approvable = edited !== null && offered.has(edited.type === 'edit' ? 'edit' : 'approve')
  const ready = armed && !busy
  const reasonField = useRef<HTMLInputElement>(null)

  function act(action: CardAction): void {
    if (!ready || !offered.has(action)) return
    if (action === 'edit') {
      setBegan(true)
      keep({ editing: !editing })
    } else if (action === 'reject') onDecide(rejection(request, reason))
    else if (action === 'allow') setAllowing(true)
    else if (edited && approvable) onDecide(edited)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key === 'Escape' && isTyping(event.target)) {
      leave(event)
      return
    }
    const withModifier = event.ctrlKey || event.metaKey
    const action =
      withModifier && event.key === 'Enter'
        ? 'approve'
        : withModifier || event.altKey
          ? null
          : cardKey(event.key, ready, isTyping(event.target))
    if (!action) return
    event.preventDefault()
    if (action === 'reject' && reasonField.current && offered.has('reject')) reasonField.current.focus()
    else act(action)
  }

  /** Esc leaves the text that is being edited, or the reason, and goes back to the card. Both texts are kept. */
  function leave(event: KeyboardEvent<HTMLElement>): void {
    event.preventDefault()
    event.stopPropagation()
    event.currentTarget.focus()
    keep({ editing: false })
  }

  return (
    <>
      <CardFrame
        interrupt={interrupt}
        request={request}
        position={position}
        granted={hosts ?? []}
        onKeyDown={onKeyDown}
      >
        {draft ? (
          <EditBox
            draft={draft}
            original={asked.text}
            focused={began}
            invalid={hosts !== null && edited === null}
            onChange={(text) => keep({ edited: text })}
          />
        ) : (
          <CallPreview threadId={interrupt.threadId} request={request} />
        )}
        <Names title={labels.oddCharacters} names={oddCharactersOf(request)} />
        <Names title={labels.changedBefore} names={request.changedBefore} />
        <Names title={labels.scripts} names={request.scripts} />
        {findToolFacts(request.name).opensView && (
          <>
            <EnvironmentLine />
            <NetworkGrant
              request={request}
              value={network}
              invalid={hosts === null}
              onChange={(text) => keep({ network: text })}
            />
          </>
        )}
        <ApprovalActions
          offered={offered}
          ready={ready}
          approvable={approvable}
          editing={draft !== null}
          reason={reason}
          reasonField={reasonField}
          onReason={(text) => keep({ reason: text })}
          onAct={act}
        />
      </CardFrame>
      {/* Outside the card, so that keys pressed in the dialog do not reach the card. */}
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

/** A list of what a command line does not show to the eye. Nothing when there is none. */
function Names({ title, names = [] }: { title: string; names?: readonly string[] | undefined }): ReactNode {
  if (names.length === 0) return null
  return (
    <section aria-label={title} className="rounded-md border border-warn/40 bg-warn-soft px-2 py-1">
      <p className="font-medium">{title}</p>
      <ul className="max-h-32 overflow-auto font-mono text-xs [overflow-wrap:anywhere]">
        {names.map((name) => (
          <li key={name}>
            <VisibleText text={name} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface EditBoxProps {
  readonly draft: Draft
  /** The text as the agent asked for it. */
  readonly original: string
  readonly invalid: boolean
  /** Whether the box takes the focus when it appears. */
  readonly focused: boolean
  readonly onChange: (text: string) => void
}

/** Edits the arguments of a call: a command as text, everything else as JSON. */
function EditBox({ draft, original, invalid, focused, onChange }: EditBoxProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focused) field.current?.focus()
  }, [focused])
  /** A text box cannot show invisible characters, so they are written out below it. */
  const hidden = splitVisible(draft.text).some(({ escaped }) => escaped)
  const lines = draft.text.split('\n').length
  return (
    <div className="flex flex-col gap-1">
      <TextArea
        ref={field}
        aria-label={
          draft.argument === 'command' ? labels.editCommand : draft.argument ? draft.argument : labels.editArguments
        }
        aria-invalid={invalid}
        value={draft.text}
        rows={Math.min(Math.max(lines + 1, 3), 16)}
        onChange={(event) => onChange(event.target.value)}
        className="font-mono text-xs [direction:ltr] [unicode-bidi:bidi-override]"
      />
      {hidden && (
        <pre className="whitespace-pre-wrap rounded-md border border-line bg-panel px-2 py-1 font-mono text-xs [overflow-wrap:anywhere]">
          <VisibleText text={draft.text} />
        </pre>
      )}
      {draft.text !== original && (
        <div className="max-h-48 overflow-auto rounded-md border border-line">
          <DiffView
            label={labels.editDiff}
            hunks={diffTexts(original, draft.text)}
            showAllLabel={strings.common.showAll}
          />
        </div>
      )}
      {draft.text !== original && (
        <Button tone="quiet" className="self-start" onClick={() => onChange(original)}>
          {labels.editUndo}
        </Button>
      )}
      <p role={invalid ? 'alert' : undefined} className={invalid ? 'text-bad' : 'text-muted text-xs'}>
        {invalid ? labels.notJson : labels.editHint(keysHere('Mod+Enter'))}
      </p>
    </div>
  )
}
