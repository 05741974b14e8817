import { lazy, type ReactNode, Suspense } from 'react'
import { draftOf, findHosts, oddCharactersOf } from '#shared/tools/approval-choices.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { EnvironmentLine } from '../parts/environment-line.tsx'
import { keysHere } from '../state/preferences/keymap.ts'
import { strings } from '../strings/strings.ts'
import { ApprovalActions } from './approval-actions.tsx'
import { CallPreview } from './call-preview.tsx'
import { CardFrame } from './card-frame.tsx'
import { EditBox } from './edit-box.tsx'
import { NameList } from './name-list.tsx'
import { NetworkGrant } from './network-grant.tsx'
import { type CardProps, useCard } from './use-card.ts'

const AlwaysAllowDialog = lazy(async () => ({
  default: (await import('./always-allow-dialog.tsx')).AlwaysAllowDialog,
}))

const labels = strings.approvals

/** One call that waits for approval: exactly what it would do, and the answers. */
export function ApprovalCard(props: CardProps): ReactNode {
  const { interrupt, request, position, onDecide } = props
  const { answer, keep, draft, began, allowing, setAllowing, hosts, decision, act, onKeyDown, ...state } =
    useCard(props)
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
            original={draftOf(request).text}
            focused={began}
            invalid={hosts !== null && decision === null}
            hint={labels.editHint(keysHere('Mod+Enter'))}
            onChange={(text) => keep({ edited: text })}
          />
        ) : (
          <CallPreview threadId={interrupt.threadId} request={request} />
        )}
        <NameList title={labels.oddCharacters} names={oddCharactersOf(request)} />
        <NameList title={labels.changedBefore} names={request.changedBefore} />
        <NameList title={labels.scripts} names={request.scripts} />
        {findToolFacts(request.name).opensView && (
          <>
            <EnvironmentLine />
            <NetworkGrant
              named={findHosts(request)}
              value={answer.network}
              invalid={hosts === null}
              onChange={(text) => keep({ network: text })}
            />
          </>
        )}
        <ApprovalActions
          offered={state.offered}
          ready={state.ready}
          isNext={state.isNext}
          approvable={state.approvable}
          editing={draft !== null}
          reason={answer.reason}
          reasonField={state.reasonField}
          onReason={(text) => keep({ reason: text })}
          onAct={act}
        />
      </CardFrame>
      {/* Outside the card, so that keys pressed in the dialog do not reach the card. */}
      {allowing && (
        <Suspense>
          <AlwaysAllowDialog
            threadId={interrupt.threadId}
            request={request}
            onClose={() => setAllowing(false)}
            onAllowed={() => {
              setAllowing(false)
              onDecide({ type: 'approve', callId: request.callId })
            }}
          />
        </Suspense>
      )}
    </>
  )
}
