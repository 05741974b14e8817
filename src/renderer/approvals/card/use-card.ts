import { type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ActionRequest, Decision, Interrupt, OfferedAnswer } from '#shared/model/calls/interrupt.ts'
import {
  answering,
  availableActions,
  type CardAction,
  changedFiles,
  type Draft,
  rejection,
  wasTried,
} from '#shared/tools/card.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import type { Answer } from '../../state/store/answers.ts'
import { callAtHand } from '../../state/store/approval-walk.ts'
import { hostsIn, shownApproval, shownDraft } from '../approval-logic.ts'
import { useAnswer } from '../use-answer.ts'
import { useArmed } from '../use-armed.ts'
import { useCardKeys } from './use-card-keys.ts'

export interface CardProps {
  readonly interrupt: Interrupt
  readonly request: ActionRequest
  readonly position: string
  readonly busy: boolean
  readonly onDecide: (decision: Decision) => void
}

/** What a person did on a card so far, and what they can do. */
export interface CardState {
  readonly answer: Answer
  readonly keep: (change: Partial<Answer>) => void
  /** The edit that the card shows; null while it shows the call as the agent asked for it. */
  readonly draft: Draft | null
  /** Whether the person began to edit here. A card that only came back into view must not take the focus. */
  readonly began: boolean
  /** Whether the dialog for a rule is open. */
  readonly allowing: boolean
  readonly setAllowing: (open: boolean) => void
  /** The hosts that the person grants; null if one of them is not valid. */
  readonly hosts: readonly string[] | null
  /** What the first button decides; null if what is typed or chosen is not valid. */
  readonly decision: Decision | null
  readonly offered: ReadonlySet<CardAction>
  /** False for a card that just appeared or was decided. */
  readonly ready: boolean
  /** Whether the person decides this call next. Its first button alone is filled. */
  readonly isNext: boolean
  /** Whether the first button may be pressed. */
  readonly approvable: boolean
  readonly reasonField: RefObject<HTMLInputElement | null>
  readonly act: (action: CardAction) => void
  /** Decides by an answer that an external agent offers. */
  readonly answerAs: (offered: OfferedAnswer) => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
}

export function useCard({ interrupt, request, busy, onDecide }: CardProps): CardState {
  // A card that the walk brought up is armed anew, so that a key pressed twice decides one call.
  const atHand = useApp(({ ui }) => ui.walkCall === request.callId)
  const armed = useArmed(`${request.callId}${atHand}`)
  const isNext = useApp((state) => callAtHand(state) === request.callId)
  const [answer, keep] = useAnswer(interrupt, request)
  const draft = shownDraft(request, answer)
  const [began, setBegan] = useState(false)
  const [allowing, setAllowing] = useState(false)
  const decision = shownApproval(request, answer)
  const offered = availableActions(interrupt, request, draft !== null)
  const approvable = decision !== null && offered.has(decision.type === 'edit' ? 'edit' : 'approve')
  const ready = armed && !busy
  const reasonField = useRef<HTMLInputElement>(null)

  function act(action: CardAction): void {
    if (!ready || !offered.has(action)) return
    switch (action) {
      case 'edit':
        setBegan(true)
        keep({ editing: !answer.editing })
        break
      case 'reject':
        onDecide(rejection(request, answer.reason))
        break
      case 'allow':
        setAllowing(true)
        break
      case 'some':
        keep({ kept: answer.kept === null ? changedPaths(request) : null })
        break
      case 'approve':
        if (decision && approvable) onDecide(decision)
    }
  }

  function answerAs(chosen: OfferedAnswer): void {
    if (ready) onDecide(answering(request, chosen, answer.reason))
  }

  /** The field for the reason is hidden behind an edit, which is kept. */
  function onAskReason(): void {
    if (draft !== null) flushSync(() => keep({ editing: false }))
    reasonField.current?.focus()
  }

  const onKeyDown = useCardKeys({
    ready,
    offered,
    onAskReason,
    onAct: act,
    onLeave: () => keep({ editing: false }),
  })
  const hosts = hostsIn(answer.network)
  const edit = { draft, began, allowing, setAllowing, hosts }
  return { answer, keep, ...edit, decision, offered, ready, isNext, approvable, reasonField, act, answerAs, onKeyDown }
}

function changedPaths(request: ActionRequest) {
  return wasTried(request) ? changedFiles(request.effects).map(({ path }) => path) : []
}
