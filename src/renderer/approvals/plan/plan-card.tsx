import { Check, ChevronDown, MessageSquareReply, Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { JsonValue } from '#shared/base/json.ts'
import { type WorkMode, workModes } from '#shared/model/calls/interrupt.ts'
import { approval, availableActions, type CardAction, rejection } from '#shared/tools/card.ts'
import { buttonsOf, workModeNames } from '#shared/tools/card-words.ts'
import type { LineComment, UnsentReview } from '../../parts/review/line-comment.ts'
import { writeDocumentComments } from '../../parts/review/review-message.ts'
import { type LineComments, useLineComments } from '../../parts/review/use-review.ts'
import { useModeHints } from '../../parts/use-mode-hints.ts'
import { useApp, useProjectId, useSession } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { answerKey } from '../../state/store/answers.ts'
import { callAtHand } from '../../state/store/approval-walk.ts'
import { threadOf, waitingCalls } from '../../state/store/selectors.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextArea } from '../../ui/controls/field.tsx'
import { Menu } from '../../ui/controls/menu.tsx'
import { shownDraft } from '../approval-logic.ts'
import { CardFrame } from '../card/card-frame.tsx'
import { ChangedBy } from '../card/changed-by.tsx'
import { EditBox } from '../card/edit-box.tsx'
import type { CardProps } from '../card/use-card.ts'
import { useCardKeys } from '../card/use-card-keys.ts'
import { useAnswer } from '../use-answer.ts'
import { useArmed } from '../use-armed.ts'
import { PlanDocument } from './plan-document.tsx'

const labels = cardStrings.plan

/** A plan that waits: a document with comments on its lines, notes, and the mode in which it is carried out. */
export function PlanCard(props: CardProps): ReactNode {
  const { interrupt, request, position } = props
  const card = usePlanCard(props)
  const { answer, keep, draft, comments, waiting, said, ready, approvable, offered, act } = card
  const plan = typeof request.args.plan === 'string' ? request.args.plan : ''
  const words = buttonsOf(request, draft !== null)
  return (
    <CardFrame interrupt={interrupt} request={request} position={position} onKeyDown={card.onKeyDown}>
      {draft ? (
        <EditBox
          request={request}
          draft={draft}
          focused={card.began}
          invalid={!approvable}
          onChange={(text) => keep({ edited: text })}
        />
      ) : (
        <PlanDocument plan={plan} comments={comments} />
      )}
      {!draft && <ChangedBy request={request} />}
      <TextArea
        ref={card.notes}
        aria-label={labels.notes}
        placeholder={labels.notes}
        rows={2}
        value={answer.reason}
        onChange={({ target }) => keep({ reason: target.value })}
      />
      <div className="flex flex-wrap items-center gap-2">
        {offered.has('approve') && <ApproveButton card={card} />}
        {offered.has('edit') && (
          <Button
            icon={<Pencil size={13} aria-hidden />}
            aria-pressed={draft !== null}
            disabled={!ready}
            title={cardStrings.withKey(words.edit, 'E')}
            onClick={() => act('edit')}
          >
            {words.edit}
          </Button>
        )}
        {offered.has('reject') && (
          <Button
            icon={<MessageSquareReply size={13} aria-hidden />}
            disabled={!ready}
            title={cardStrings.withKey(words.reject, 'N')}
            onClick={() => act('reject')}
          >
            {words.reject}
          </Button>
        )}
        {waiting.length > 0 && <span className="text-muted text-xs">{labels.withComments(waiting.length)}</span>}
        {offered.has('reject') && said === '' && <span className="text-muted text-xs">{labels.hint}</span>}
      </div>
    </CardFrame>
  )
}

type PlanCardState = ReturnType<typeof usePlanCard>

/** *Approve* with the mode on it, and the choice of another mode beside it. */
function ApproveButton({ card }: { readonly card: PlanCardState }): ReactNode {
  const { said, ready, approvable, isNext, mode, setMode, act } = card
  const [settings] = useQuery('settings.get', undefined)
  const hintOf = useModeHints(settings.value?.commandApproval ?? null)
  const tone = isNext ? 'primary' : 'plain'
  const choices = workModes.map((each) => ({
    ...{ id: each, label: workModeNames[each], hint: hintOf(each), checked: each === mode },
    onSelect: () => setMode(each),
  }))
  return (
    <span className="inline-flex">
      <Button
        tone={tone}
        icon={<Check size={13} aria-hidden />}
        disabled={!ready || !approvable}
        title={cardStrings.withKey(labels.approveHint, 'Y')}
        onClick={() => act('approve')}
        className="rounded-r-none"
      >
        {said === '' ? labels.approve : labels.approveWithNotes}
        <span className="font-normal opacity-90">· {workModeNames[mode]}</span>
      </Button>
      <Menu
        trigger={
          <Button
            tone={tone}
            aria-label={labels.modeAfter(workModeNames[mode])}
            disabled={!ready}
            className="-ml-px rounded-l-none px-1.5!"
          >
            <ChevronDown size={13} aria-hidden />
          </Button>
        }
        choices={choices}
      />
    </span>
  )
}

/** Comments stay until the decision counts, so those on plans that no longer wait are removed with the next card. */
function usePlanComments(projectId: string, key: string): LineComments {
  const { store } = useSession()
  const prefix = `coppice-plan ${projectId} `
  useEffect(() => {
    const state = store.getState()
    // While a long journal is read, not every call that waits is known yet.
    if (state.reading) return
    const waiting = new Set(waitingCalls(state).map(({ interrupt, request }) => answerKey(interrupt, request.callId)))
    const isOver = (name: string): boolean =>
      name.startsWith(prefix) && name !== `${prefix}${key}` && !waiting.has(name.slice(prefix.length))
    for (const name of Object.keys(localStorage)) if (isOver(name)) localStorage.removeItem(name)
  }, [store, prefix, key])
  return useLineComments(`${prefix}${key}`)
}

/** The comments that go along: those that were added, and the one that is still in its form. */
function commentsIn({ comments, form }: UnsentReview, plan: JsonValue | undefined): readonly LineComment[] {
  if (form === null || form.text.trim() === '') return comments
  const { path, range, text } = form
  const lines = typeof plan === 'string' ? plan.split('\n') : []
  return [...comments, { path, range, quote: lines.slice(range.from - 1, range.to), text: text.trim() }]
}

function usePlanCard({ interrupt, request, busy, onDecide }: CardProps) {
  const projectId = useProjectId()
  const comments = usePlanComments(projectId, answerKey(interrupt, request.callId))
  const atHand = useApp(({ ui }) => ui.walkCall === request.callId)
  const isNext = useApp((state) => callAtHand(state) === request.callId)
  const current = useApp((state) => threadOf(state, interrupt.threadId)?.approvalMode ?? 'plan')
  const armed = useArmed(`${request.callId}${atHand}`)
  const [answer, keep] = useAnswer(interrupt, request)
  const [began, setBegan] = useState(false)
  const notes = useRef<HTMLTextAreaElement>(null)
  const draft = shownDraft(request, answer)
  const mode: WorkMode = answer.mode ?? (current === 'plan' ? 'auto-edit' : current)
  const waiting = commentsIn(comments.unsent, request.args.plan)
  const said = [answer.reason.trim(), ...(waiting.length > 0 ? [writeDocumentComments(waiting)] : [])]
    .filter((part) => part !== '')
    .join('\n\n')
  const decision = approval(request, draft, { message: said, mode: mode === current ? null : mode })
  const isEmpty = draft !== null && draft.text.trim() === ''
  const offered = availableActions(interrupt, request, draft !== null)
  const ready = armed && !busy
  function act(action: CardAction): void {
    if (!ready || !offered.has(action)) return
    if (action === 'approve' && decision !== null && !isEmpty) onDecide(decision)
    else if (action === 'reject') {
      // Without a word the agent could only guess what should be different.
      if (said === '') notes.current?.focus()
      else onDecide(rejection(request, said))
    } else if (action === 'edit') {
      setBegan(true)
      keep({ editing: !answer.editing })
    }
  }
  const onKeyDown = useCardKeys({
    ...{ ready, offered, onAct: act },
    onAskReason: () => act('reject'),
    onLeave: () => keep({ editing: false }),
  })
  const edit = { draft, began, approvable: decision !== null && !isEmpty }
  const setMode = (chosen: WorkMode): void => keep({ mode: chosen })
  return {
    answer,
    keep,
    ...edit,
    comments,
    waiting,
    said,
    offered,
    ready,
    isNext,
    mode,
    setMode,
    notes,
    act,
    onKeyDown,
  }
}
