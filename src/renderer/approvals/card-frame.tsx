import { CircleAlert, TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import type { ActionRequest, Interrupt } from '#shared/model/interrupt.ts'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = strings.approvals

interface CardFrameProps {
  readonly interrupt: Interrupt
  readonly request: ActionRequest
  readonly position: string
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
  readonly children: ReactNode
}

/** The frame of an approval: which agent asks, for what, by which rule, at what risk. */
export function CardFrame({ interrupt, request, position, onKeyDown, children }: CardFrameProps): ReactNode {
  const frame = useRef<HTMLFieldSetElement>(null)
  const focused = useApp((state) => state.ui.focusCall === request.callId)
  const updateUi = useUpdateUi()
  useEffect(() => {
    if (!focused) return
    frame.current?.focus()
    frame.current?.scrollIntoView({ block: 'nearest' })
    updateUi((ui) => ({ ...ui, focusCall: null }))
  }, [focused, updateUi])
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
      aria-label={labels.group(request.name, interrupt.agent)}
      data-approval={request.callId}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="min-w-0 rounded-lg border border-warn/60 bg-raised focus:outline-2 focus:outline-accent"
    >
      <div className="flex flex-wrap items-center gap-x-2 border-line border-b bg-warn-soft px-3 py-1.5">
        <CircleAlert size={14} aria-hidden className="text-warn" />
        <span className="font-semibold text-warn">{labels.needsYou}</span>
        <span className="text-muted tabular-nums">{position}</span>
        <span className="font-medium">
          <VisibleText text={request.name} />
        </span>
        {request.risk === 'high' && (
          <span className="ml-auto inline-flex items-center gap-1 font-medium text-bad">
            <TriangleAlert size={14} aria-hidden />
            {labels.riskHigh}
          </span>
        )}
      </div>
      <div className="flex flex-col gap-2 px-3 py-2">
        <p className="[overflow-wrap:anywhere]">
          <VisibleText text={request.description} />
        </p>
        {children}
        <p className="flex flex-wrap gap-x-4 text-muted text-xs">
          <span>
            {labels.agent}: <VisibleText text={interrupt.agent} />
          </span>
          <span>
            {labels.rule}: <VisibleText text={request.rule} />
          </span>
          {request.risk === 'low' && <span>{labels.riskLow}</span>}
        </p>
      </div>
    </fieldset>
  )
}
