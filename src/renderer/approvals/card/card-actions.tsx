import { Check, ChevronDown, Files, Pencil, RotateCcw, ShieldCheck, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ActionRequest, OfferedAnswer } from '#shared/model/calls/interrupt.ts'
import { type CardAction, changedFiles, hasFailed, runsAgain, wasTried } from '#shared/tools/card.ts'
import { buttonsOf } from '#shared/tools/card-words.ts'
import { keysHere } from '../../state/preferences/keymap.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import { Menu } from '../../ui/controls/menu.tsx'
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
  const tried = wasTried(request)
  const again = isEditing && runsAgain(request)
  const words = buttonsOf(request, isEditing)
  const chosen = tried && offered.has('some') ? answer.kept : null
  const filled = card.isNext ? filledAction(request, offered, isEditing) : null
  const keepHint = again ? labels.runAgainHint : tried && !isEditing ? labels.keepHint : null
  const buttons = [
    { action: 'approve', key: 'Y', tone: 'plain', Icon: again ? RotateCcw : Check, pressed: undefined, hint: keepHint },
    { action: 'edit', key: 'E', tone: 'plain', Icon: Pencil, pressed: isEditing, hint: null },
    { action: 'reject', key: 'N', tone: 'danger', Icon: X, pressed: undefined, hint: tried ? labels.dropHint : null },
    { action: 'some', key: 'F', tone: 'quiet', Icon: Files, pressed: chosen !== null, hint: labels.someHint },
    { action: 'allow', key: 'L', tone: 'quiet', Icon: ShieldCheck, pressed: undefined, hint: null },
  ] as const
  return (
    <div className="flex flex-wrap items-center gap-2">
      {buttons
        .filter(({ action }) => offered.has(action))
        .map(({ action, key, tone, Icon, pressed, hint }) => (
          <Button
            key={action}
            tone={action === filled ? 'primary' : tone}
            icon={<Icon size={13} aria-hidden />}
            disabled={!ready || (action === 'approve' && !approvable)}
            aria-pressed={pressed}
            title={hint ?? labels.withKey(words[action], key)}
            onClick={() => act(action)}
          >
            {action === 'approve' && tried && chosen !== null
              ? labels.keepSome(chosen.length, changedFiles(request.effects).length)
              : words[action]}
          </Button>
        ))}
      {request.answers && <OwnAnswers answers={request.answers} card={card} />}
      {!isEditing && (offered.has('reject') || offered.has('approve')) && <Reason card={card} tried={tried} />}
      {decision === null && chosen?.length === 0 && (
        <p role="alert" className="w-full text-bad text-xs">
          {labels.chooseFile}
        </p>
      )}
    </div>
  )
}

/** The answers that an external agent offers, in its own words. The buttons beside it choose the ones that hold once. */
function OwnAnswers({
  answers,
  card: { ready, answerAs },
}: {
  readonly answers: readonly OfferedAnswer[]
  readonly card: CardState
}): ReactNode {
  return (
    <Menu
      trigger={
        <Button tone="quiet" disabled={!ready}>
          {labels.ownAnswers}
          <ChevronDown size={13} aria-hidden />
        </Button>
      }
      choices={answers.map((one) => ({
        id: one.id,
        label: one.name,
        group: one.allows ? labels.answersThatAllow : labels.answersThatRefuse,
        ...(one.remembered && { hint: labels.remembered }),
        onSelect: () => answerAs(one),
      }))}
    />
  )
}

/** The next sensible action: a command that failed is rather edited than kept. */
function filledAction(request: ActionRequest, offered: ReadonlySet<CardAction>, isEditing: boolean): CardAction {
  const failed = wasTried(request) && !isEditing && hasFailed(request)
  return failed && offered.has('edit') ? 'edit' : 'approve'
}

interface ReasonProps {
  readonly card: CardState
  readonly tried: boolean
}

/** The reason of a rejection, or words to the agent with an approval. */
function Reason({ card: { answer, keep, offered, reasonField, act }, tried }: ReasonProps): ReactNode {
  const kind = tried ? 'tried' : 'asks'
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
