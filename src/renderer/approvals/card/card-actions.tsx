import { Check, Files, Pencil, RotateCcw, ShieldCheck, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ActionRequest } from '#shared/model/interrupt.ts'
import { type CardAction, changedFiles, hasFailed, isHeld, runsAgain } from '#shared/tools/card.ts'
import { buttonsOf } from '#shared/tools/card-words.ts'
import { keysHere } from '../../state/preferences/keymap.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import type { CardState } from './use-card.ts'

const labels = cardStrings

interface CardActionsProps {
  readonly request: ActionRequest
  readonly card: CardState
}

/** The buttons that answer one call. Each names its key in its tooltip, and one of them is filled. */
export function CardActions({ request, card }: CardActionsProps): ReactNode {
  const { answer, draft, decision, offered, ready, approvable, act } = card
  const isEditing = draft !== null
  const held = isHeld(request)
  const again = isEditing && runsAgain(request)
  const words = buttonsOf(request, isEditing)
  const choosing = answer.kept !== null && offered.has('some')
  const filled = card.isNext ? filledAction(request, offered, isEditing) : null
  const button = (action: CardAction) => ({ disabled: !ready, onClick: () => act(action) })
  return (
    <div className="flex flex-wrap items-center gap-2">
      {offered.has('approve') && (
        <Button
          {...button('approve')}
          tone={filled === 'approve' ? 'primary' : 'plain'}
          icon={again ? <RotateCcw size={13} aria-hidden /> : <Check size={14} aria-hidden />}
          disabled={!ready || !approvable}
          title={
            again ? labels.runAgainHint : held && !isEditing ? labels.keepHint : labels.withKey(words.approve, 'Y')
          }
        >
          {choosing && held
            ? labels.keepSome(answer.kept?.length ?? 0, changedFiles(request.effects).length)
            : words.approve}
        </Button>
      )}
      {offered.has('edit') && (
        <Button
          {...button('edit')}
          tone={filled === 'edit' ? 'primary' : 'plain'}
          icon={<Pencil size={13} aria-hidden />}
          aria-pressed={isEditing}
          title={labels.withKey(words.edit, 'E')}
        >
          {words.edit}
        </Button>
      )}
      {offered.has('reject') && (
        <Button
          {...button('reject')}
          tone="danger"
          icon={<X size={14} aria-hidden />}
          title={held ? labels.dropHint : labels.withKey(words.reject, 'N')}
        >
          {words.reject}
        </Button>
      )}
      {offered.has('some') && (
        <Button
          {...button('some')}
          tone="quiet"
          icon={<Files size={13} aria-hidden />}
          aria-pressed={choosing}
          title={labels.someHint}
        >
          {words.some}
        </Button>
      )}
      {offered.has('allow') && (
        <Button
          {...button('allow')}
          tone="quiet"
          icon={<ShieldCheck size={14} aria-hidden />}
          title={labels.withKey(words.allow, 'L')}
        >
          {words.allow}
        </Button>
      )}
      {!isEditing && (offered.has('reject') || offered.has('approve')) && <Reason card={card} held={held} />}
      {choosing && decision === null && answer.kept?.length === 0 && (
        <p role="alert" className="w-full text-bad text-xs">
          {labels.chooseFile}
        </p>
      )}
    </div>
  )
}

/** The next sensible action: a call that failed is rather edited than kept. */
function filledAction(request: ActionRequest, offered: ReadonlySet<CardAction>, isEditing: boolean): CardAction {
  const failed = isHeld(request) && !isEditing && hasFailed(request)
  return failed && offered.has('edit') ? 'edit' : 'approve'
}

interface ReasonProps {
  readonly card: CardState
  readonly held: boolean
}

/** The reason of a rejection, or words to the agent with an approval. */
function Reason({ card: { answer, keep, offered, reasonField, act }, held }: ReasonProps): ReactNode {
  const kind = held ? 'held' : 'asks'
  const [isInside, setIsInside] = useState(false)
  return (
    <TextInput
      ref={reasonField}
      onFocus={() => setIsInside(true)}
      onBlur={() => setIsInside(false)}
      aria-label={labels.reason}
      placeholder={isInside && offered.has('reject') ? labels.reasonKeys[kind] : labels.reasonShort}
      value={answer.reason}
      onChange={(event) => keep({ reason: event.target.value })}
      title={labels.reasonHint[kind](keysHere('Mod+Enter'))}
      onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && !event.metaKey && act('reject')}
      className="h-7! min-w-44 flex-1"
    />
  )
}
