import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import { batchTool } from '#shared/model/derived/batch.ts'
import { cardKind, hasFailed, type TriedRequest, wasTried } from '#shared/tools/card.ts'
import { endOf, headerOf, timeOf } from '#shared/tools/card-words.ts'
import { plainWords } from '#shared/tools/tool-labels.ts'
import { AgentMark } from '../../parts/agents/agent-mark.tsx'
import { useApp, useUpdateUi } from '../../state/hooks/hooks.tsx'
import { cardStrings } from '../../strings/later/card.ts'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { holdFocus, listCorrects } from '../../ui/react/focus.ts'
import { riskNow } from '../approval-logic.ts'

const labels = cardStrings

interface CardFrameProps {
  readonly interrupt: Interrupt
  readonly request: ActionRequest
  readonly position: string
  /** The hosts that the person grants so far. */
  readonly granted?: readonly string[]
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
  readonly children: ReactNode
}

/** The frame of an approval: which agent asks, for what, by which rule, and at what risk or with what end. */
export function CardFrame({
  interrupt,
  request,
  position,
  granted = [],
  onKeyDown,
  children,
}: CardFrameProps): ReactNode {
  const frame = useRef<HTMLFieldSetElement>(null)
  const focused = useApp((state) => state.ui.focusCall === request.callId)
  const updateUi = useUpdateUi()
  const kind = cardKind(interrupt, request)
  const risk = riskNow(request, granted)
  useEffect(() => {
    if (!focused) return
    const onEnd = (): void => updateUi((ui) => (ui.focusCall === request.callId ? { ...ui, focusCall: null } : ui))
    return holdFocus(() => frame.current, { keepsInSight: true, restMs: listCorrects, onEnd })
  }, [focused, request.callId, updateUi])
  // The focus must not vanish with the card, so it moves to the pane around it.
  useLayoutEffect(() => {
    const element = frame.current
    return () => {
      if (element?.contains(document.activeElement)) element.closest<HTMLElement>('[data-region]')?.focus()
    }
  }, [])
  return (
    <fieldset
      ref={frame}
      aria-label={strings.approvals.group(request.name, interrupt.agent)}
      data-approval={request.callId}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="min-w-0 rounded-lg border border-warn/60 bg-raised focus:outline-2 focus:outline-accent"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b bg-warn-soft px-3 py-1.5">
        <AgentMark name={interrupt.agent} />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <span className="font-semibold">
            <VisibleText text={interrupt.agent} />
          </span>{' '}
          <VisibleText text={headerOf(request, kind)} />
        </span>
        <span className="text-muted tabular-nums">
          <span aria-hidden>· </span>
          {position}
        </span>
        {(!wasTried(request) || risk.risk !== 'low') && <RiskChip {...risk} />}
        {wasTried(request) && <RunEnd request={request} />}
      </div>
      <div className="flex flex-col gap-2 px-3 py-2">
        {!wasTried(request) && (
          <p className="[overflow-wrap:anywhere]">
            <VisibleText text={kind === 'question' ? plainWords(request.description) : request.description} />
          </p>
        )}
        {request.name === batchTool && (
          <p className="font-medium">
            <VisibleText text={labels.estimate(request.rule)} />
          </p>
        )}
        {children}
        <p className="flex flex-wrap gap-x-4 text-muted text-xs">
          <span>
            {labels.tool}: <VisibleText text={request.name} />
          </span>
          <span>
            {labels.rule}: <VisibleText text={request.rule} />
          </span>
        </p>
      </div>
    </fieldset>
  )
}

/** The risk and its reason. Only a high one has a colour, so that it is seen. */
function RiskChip({ risk, riskReason }: Pick<ActionRequest, 'risk' | 'riskReason'>): ReactNode {
  return (
    <span
      className={classNames(
        'ml-auto inline-flex min-w-0 items-center gap-1 rounded-sm px-1.5 text-xs [overflow-wrap:anywhere]',
        risk === 'high' ? 'bg-bad-soft text-bad' : 'bg-hover text-muted',
      )}
    >
      {risk === 'high' && <TriangleAlert size={12} aria-hidden className="shrink-0" />}
      <span>
        {strings.approvals.risk[risk]}
        {riskReason !== undefined && <VisibleText text={labels.riskBecause(riskReason)} />}
      </span>
    </span>
  )
}

/** How a tried call ended and how long it took. */
export function RunEnd({ request }: { request: TriedRequest }): ReactNode {
  const [end, time] = [endOf(request), timeOf(request)]
  const failed = hasFailed(request)
  const Icon = failed ? CircleX : CircleCheck
  return (
    <span className="ml-auto inline-flex shrink-0 items-center gap-1 text-xs tabular-nums">
      {end !== null && (
        <>
          <Icon size={13} aria-hidden className={failed ? 'text-bad' : 'text-good'} />
          <span className={failed ? 'text-bad' : 'text-muted'}>{end}</span>
        </>
      )}
      {time !== null && (
        <span className="text-muted">
          {end !== null && '· '}
          {time}
        </span>
      )}
    </span>
  )
}
