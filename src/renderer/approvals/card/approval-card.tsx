import { lazy, type ReactNode, Suspense } from 'react'
import { cardKind, editsFiles, oddCharactersOf, wasTried } from '#shared/tools/card.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { EnvironmentLine } from '../../parts/environment-line.tsx'
import { cardStrings } from '../../strings/later/card.ts'
import { CallText } from './call-text.tsx'
import { CardActions } from './card-actions.tsx'
import { CardChange } from './card-change.tsx'
import { CardFrame } from './card-frame.tsx'
import { NotesAfter, NotesBefore } from './card-notes.tsx'
import { CardOutput } from './card-output.tsx'
import { ChangedBy } from './changed-by.tsx'
import { EditBox } from './edit-box.tsx'
import { EndCard } from './end-card.tsx'
import { NameList } from './name-list.tsx'
import { NetworkGrant } from './network-grant.tsx'
import { QuestionCard } from './question-card.tsx'
import { type CardProps, useCard } from './use-card.ts'

const AlwaysAllowDialog = lazy(async () => ({
  default: (await import('../always-allow-dialog.tsx')).AlwaysAllowDialog,
}))

const PlanCard = lazy(async () => ({ default: (await import('../plan/plan-card.tsx')).PlanCard }))

const labels = cardStrings

/** A call that waits for a person: who asks for what, what it changes, what it printed, and the answers. */
export function ApprovalCard(props: CardProps): ReactNode {
  switch (cardKind(props.interrupt, props.request)) {
    case 'question':
      return <QuestionCard {...props} />
    case 'plan':
      return (
        <Suspense>
          <PlanCard {...props} />
        </Suspense>
      )
    case 'end':
      return <EndCard {...props} />
    case 'approval':
      return <CallCard {...props} />
  }
}

/** A call that was tried, or that asks before it runs. Only the request says which. */
function CallCard(props: CardProps): ReactNode {
  const { interrupt, request, position, onDecide } = props
  const card = useCard(props)
  const { answer, keep, draft, hosts, offered, ready } = card
  const tried = wasTried(request) ? request : null
  const opensView = findToolFacts(request.name).opensView === true
  return (
    <>
      <CardFrame
        interrupt={interrupt}
        request={request}
        position={position}
        granted={hosts ?? []}
        onKeyDown={card.onKeyDown}
      >
        {tried && <NotesBefore interrupt={interrupt} request={tried} />}
        {draft ? (
          <EditBox
            request={request}
            draft={draft}
            focused={card.began}
            invalid={hosts !== null && card.decision === null}
            onChange={(text) => keep({ edited: text })}
          />
        ) : (
          <CallText request={request} />
        )}
        {!draft && <ChangedBy request={request} />}
        <NameList title={labels.odd} names={oddCharactersOf(request)} />
        <NameList title={labels.changedBefore} names={tried ? [] : request.changedBefore} />
        <NameList title={labels.scripts} names={request.scripts} />
        <CardChange
          interrupt={interrupt}
          request={request}
          draft={draft}
          kept={offered.has('some') ? answer.kept : null}
          onKeep={(kept) => keep({ kept })}
        />
        {tried && !(draft && editsFiles(request)) && <CardOutput request={tried} />}
        {tried && (
          <NotesAfter
            request={tried}
            ready={ready}
            onGrant={
              offered.has('edit')
                ? (granted) =>
                    onDecide({
                      ...{ type: 'edit', callId: request.callId, args: request.args },
                      ...{ hosts: granted, hold: true },
                    })
                : null
            }
          />
        )}
        {opensView && !tried && <EnvironmentLine />}
        {opensView && (draft || !tried) && (
          <NetworkGrant
            request={request}
            value={answer.network}
            invalid={hosts === null}
            onChange={(text) => keep({ network: text })}
          />
        )}
        <CardActions request={request} card={card} />
      </CardFrame>
      {/* Outside the card, so that keys pressed in the dialog do not reach the card. */}
      {card.allowing && (
        <Suspense>
          <AlwaysAllowDialog
            threadId={interrupt.threadId}
            request={request}
            onClose={() => card.setAllowing(false)}
            onAllowed={() => {
              card.setAllowing(false)
              onDecide({ type: 'approve', callId: request.callId })
            }}
          />
        </Suspense>
      )}
    </>
  )
}
