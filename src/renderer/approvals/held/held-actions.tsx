import { Check, Files, Pencil, RotateCcw, ShieldCheck, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { keysHere } from '../../state/preferences/keymap.ts'
import { effectDetails } from '../../strings/later/effect-details.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import type { CardState } from '../use-card.ts'

const labels = effectDetails

interface HeldActionsProps {
  readonly card: CardState
  /** The number of files that the run changed. */
  readonly files: number
}

/** The buttons that answer a held call. Each names its key in its tooltip. */
export function HeldActions({ card, files }: HeldActionsProps): ReactNode {
  const { answer, keep, draft, decision, offered, ready, isNext, approvable, reasonField, act } = card
  const [inReason, setInReason] = useState(false)
  const again = draft !== null
  const choosing = answer.kept !== null && offered.has('some')
  return (
    <div className="flex flex-wrap items-center gap-2">
      {offered.has('approve') && (
        <Button
          tone={isNext ? 'primary' : 'plain'}
          icon={again ? <RotateCcw size={13} aria-hidden /> : <Check size={14} aria-hidden />}
          disabled={!ready || !approvable}
          title={again ? labels.runAgainHint : labels.keepHint}
          onClick={() => act('approve')}
        >
          {again ? labels.runAgain : choosing ? labels.keepSome(answer.kept?.length ?? 0, files) : labels.keep}
        </Button>
      )}
      {offered.has('edit') && (
        <Button
          icon={<Pencil size={13} aria-hidden />}
          disabled={!ready}
          aria-pressed={draft !== null}
          title={`${labels.edit} (E)`}
          onClick={() => act('edit')}
        >
          {labels.edit}
        </Button>
      )}
      {offered.has('reject') && (
        <Button
          tone="danger"
          icon={<X size={14} aria-hidden />}
          disabled={!ready}
          title={labels.dropHint}
          onClick={() => act('reject')}
        >
          {labels.drop}
        </Button>
      )}
      {offered.has('some') && (
        <Button
          tone="quiet"
          icon={<Files size={13} aria-hidden />}
          disabled={!ready}
          aria-pressed={choosing}
          title={labels.someHint}
          onClick={() => act('some')}
        >
          {labels.some}
        </Button>
      )}
      {offered.has('allow') && (
        <Button
          tone="quiet"
          icon={<ShieldCheck size={14} aria-hidden />}
          disabled={!ready}
          title={`${labels.always} (L)`}
          onClick={() => act('allow')}
        >
          {labels.always}
        </Button>
      )}
      {draft === null && (
        <TextInput
          ref={reasonField}
          onFocus={() => setInReason(true)}
          onBlur={() => setInReason(false)}
          aria-label={strings.approvals.reason}
          placeholder={inReason ? labels.dropKeys : strings.approvals.reason}
          value={answer.reason}
          onChange={(event) => keep({ reason: event.target.value })}
          title={labels.reasonHint(keysHere('Mod+Enter'))}
          onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && !event.metaKey && act('reject')}
          className="h-7! min-w-40 flex-1"
        />
      )}
      {choosing && decision === null && answer.kept?.length === 0 && (
        <p role="alert" className="w-full text-bad text-xs">
          {labels.chooseFile}
        </p>
      )}
    </div>
  )
}
