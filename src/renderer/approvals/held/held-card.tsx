import { CircleCheck, CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CallEffects } from '#shared/model/outcome.ts'
import { draftOf, findHosts, oddCharactersOf } from '#shared/tools/approval-choices.ts'
import { grantableHosts, type HeldRequest, heldFiles } from '#shared/tools/held-choices.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { keysHere } from '../../state/preferences/keymap.ts'
import { threadOf } from '../../state/store/selectors.ts'
import { effectDetails } from '../../strings/later/effect-details.ts'
import { strings } from '../../strings/strings.ts'
import { AlwaysAllowDialog } from '../always-allow-dialog.tsx'
import { EditedPreview } from '../call-preview.tsx'
import { CardFrame } from '../card-frame.tsx'
import { EditBox } from '../edit-box.tsx'
import { NameList } from '../name-list.tsx'
import { NetworkGrant } from '../network-grant.tsx'
import { type CardProps, useCard } from '../use-card.ts'
import { HeldActions } from './held-actions.tsx'
import { HeldFiles } from './held-files.tsx'
import { OutsideNotes, RunNotes } from './held-notes.tsx'
import { HeldOutput } from './held-output.tsx'

const labels = effectDetails

interface HeldCardProps extends CardProps {
  readonly request: HeldRequest
}

/** One call that ran in the sandbox: what it did, and whether that is kept, dropped or done again. */
export function HeldCard(props: HeldCardProps): ReactNode {
  const { interrupt, request, position, onDecide } = props
  const card = useCard(props)
  const { answer, keep, draft, hosts, offered, ready } = card
  const { effects, callId } = request
  const before = interrupt.action_requests.find((other) => other.callId === effects.after) ?? null
  const stale = useApp((state) => {
    const decision = effects.after && threadOf(state, interrupt.threadId)?.calls.get(effects.after)?.decision
    return decision ? decision.type !== 'approve' || decision.paths !== undefined : false
  })
  return (
    <>
      <CardFrame
        interrupt={interrupt}
        request={request}
        position={position}
        aside={<RunEnd {...effects} />}
        onKeyDown={card.onKeyDown}
      >
        <RunNotes request={request} before={before} stale={stale} />
        {draft ? (
          <EditBox
            draft={draft}
            original={draftOf(request).text}
            focused={card.began}
            invalid={hosts !== null && card.decision === null}
            hint={labels.editHint(keysHere('Mod+Enter'))}
            onChange={(text) => keep({ edited: text })}
          />
        ) : (
          <EditedPreview request={request} />
        )}
        <NameList title={strings.approvals.oddCharacters} names={oddCharactersOf(request)} />
        <NameList title={strings.approvals.scripts} names={request.scripts} />
        <HeldOutput effects={effects} />
        <HeldFiles
          interrupt={interrupt}
          request={request}
          kept={offered.has('some') ? answer.kept : null}
          onKeep={(kept) => keep({ kept })}
        />
        <OutsideNotes
          request={request}
          ready={ready}
          onGrant={
            offered.has('edit')
              ? (granted) => onDecide({ type: 'edit', callId, args: request.args, hosts: granted, hold: true })
              : null
          }
        />
        {draft && (
          <NetworkGrant
            named={[...new Set([...grantableHosts(effects), ...findHosts(request)])]}
            value={answer.network}
            invalid={hosts === null}
            onChange={(text) => keep({ network: text })}
          />
        )}
        <HeldActions card={card} files={heldFiles(effects).length} />
      </CardFrame>
      {/* Outside the card, so that keys pressed in the dialog do not reach the card. */}
      {card.allowing && (
        <AlwaysAllowDialog
          threadId={interrupt.threadId}
          request={request}
          onClose={() => card.setAllowing(false)}
          onAllowed={() => {
            card.setAllowing(false)
            onDecide({ type: 'approve', callId })
          }}
        />
      )}
    </>
  )
}

/** How the run ended and how long it took. */
export function RunEnd({ exit_code: code, duration_ms: time }: Pick<CallEffects, 'exit_code' | 'duration_ms'>) {
  const Icon = code === 0 ? CircleCheck : CircleX
  return (
    <span className="ml-auto inline-flex shrink-0 items-center gap-1 text-xs tabular-nums">
      <Icon size={13} aria-hidden className={code === 0 ? 'text-good' : 'text-bad'} />
      <span className={code === 0 ? 'text-muted' : 'text-bad'}>{labels.exit(code)}</span>
      <span className="text-muted">· {labels.time(time)}</span>
    </span>
  )
}
