import { Check, Pencil, ShieldCheck, X } from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import type { CardAction } from '#shared/tools/approval-choices.ts'
import { keysHere } from '../state/preferences/keymap.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextInput } from '../ui/controls/field.tsx'

const labels = strings.approvals

interface ApprovalActionsProps {
  readonly offered: ReadonlySet<CardAction>
  readonly ready: boolean
  readonly isNext: boolean
  /** Whether the call, as edited, can be approved. */
  readonly approvable: boolean
  readonly editing: boolean
  readonly reason: string
  readonly reasonField: RefObject<HTMLInputElement | null>
  readonly onReason: (reason: string) => void
  readonly onAct: (action: CardAction) => void
}

/** The buttons that answer one call. Each names its key in its tooltip. */
export function ApprovalActions(props: ApprovalActionsProps): ReactNode {
  const { offered, ready, isNext, approvable, editing, reason, reasonField, onReason, onAct } = props
  const [inReason, setInReason] = useState(false)
  return (
    <div className="flex flex-wrap items-center gap-2">
      {offered.has('approve') && (
        <Button
          tone={isNext ? 'primary' : 'plain'}
          icon={<Check size={14} aria-hidden />}
          disabled={!ready || !approvable}
          title={`${labels.approve} (Y)`}
          onClick={() => onAct('approve')}
        >
          {labels.approve}
        </Button>
      )}
      {offered.has('edit') && (
        <Button
          icon={<Pencil size={13} aria-hidden />}
          disabled={!ready}
          aria-pressed={editing}
          title={`${labels.edit} (E)`}
          onClick={() => onAct('edit')}
        >
          {labels.edit}
        </Button>
      )}
      {offered.has('reject') && (
        <Button
          tone="danger"
          icon={<X size={14} aria-hidden />}
          disabled={!ready}
          title={`${labels.reject} (N)`}
          onClick={() => onAct('reject')}
        >
          {labels.reject}
        </Button>
      )}
      {offered.has('allow') && (
        <Button
          tone="quiet"
          icon={<ShieldCheck size={14} aria-hidden />}
          disabled={!ready}
          title={`${labels.alwaysAllow} (L)`}
          onClick={() => onAct('allow')}
        >
          {labels.alwaysAllow}
        </Button>
      )}
      {!editing && (offered.has('reject') || offered.has('approve')) && (
        <TextInput
          ref={reasonField}
          onFocus={() => setInReason(true)}
          onBlur={() => setInReason(false)}
          aria-label={labels.reason}
          placeholder={inReason && offered.has('reject') ? labels.rejectHint : labels.reason}
          value={reason}
          onChange={(event) => onReason(event.target.value)}
          title={labels.reasonHint(keysHere('Mod+Enter'))}
          onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && !event.metaKey && onAct('reject')}
          className="h-7! min-w-40 flex-1"
        />
      )}
    </div>
  )
}
