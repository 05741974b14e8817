import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { AgentMark } from '../parts/agents/agent-mark.tsx'
import { useAppList, useUpdateUi } from '../state/hooks/hooks.tsx'
import { waitingCalls } from '../state/store/selectors.ts'
import { showApproval } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { splitVisible } from '../ui/controls/split-visible.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { summaryOf } from './approval-logic.ts'
import { LowRiskApproval } from './low-risk-approval.tsx'

const labels = strings.approvals

/** An index of everything that waits for the person, in all threads. The chats hold the cards themselves. */
export function ApprovalInbox(): ReactNode {
  const waiting = useAppList(waitingCalls)
  const updateUi = useUpdateUi()
  return (
    <>
      <LowRiskApproval waiting={waiting} />
      <ol className="px-1 pb-1">
        {waiting.map(({ interrupt, request }, index) => {
          const shown = splitVisible(summaryOf(request))
            .map(({ text }) => text)
            .join('')
          return (
            <li key={`${interrupt.id}-${request.callId}`}>
              <button
                type="button"
                aria-label={labels.goTo(index + 1, `${shown}, ${interrupt.agent}`)}
                onClick={() => updateUi((ui) => showApproval(ui, interrupt.threadId, request.callId))}
                className="flex min-h-7 w-full items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover"
              >
                <span className="text-faint tabular-nums">{index + 1}</span>
                <AgentMark name={interrupt.agent} />
                <span className="max-w-[40%] shrink-0 truncate text-xs">
                  <VisibleText text={interrupt.agent} />
                </span>
                <span className="min-w-0 flex-1 truncate font-mono text-muted text-xs">{shown}</span>
                {request.risk === 'high' && (
                  <TriangleAlert size={13} aria-label={labels.risk.high} className="shrink-0 text-bad" />
                )}
              </button>
            </li>
          )
        })}
      </ol>
    </>
  )
}
