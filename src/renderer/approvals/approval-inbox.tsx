import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApp, useAppList, useUpdateUi } from '../state/hooks/hooks.tsx'
import { openInterrupts, openRequests, threadOf } from '../state/store/selectors.ts'
import { showApproval } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { splitVisible } from '../ui/controls/visible-text.tsx'
import { summaryOf } from './approval-logic.ts'

const labels = strings.approvals

/** An index of everything that waits for the person, in all threads. The chats hold the cards themselves. */
export function ApprovalInbox(): ReactNode {
  const waiting = useAppList((state) =>
    openInterrupts(state).flatMap((interrupt) => {
      const thread = threadOf(state, interrupt.threadId)
      return thread ? openRequests(thread, interrupt) : []
    }),
  )
  const interrupts = useAppList(openInterrupts)
  const project = useApp((state) => state.project)
  const updateUi = useUpdateUi()
  return (
    <ol className="px-1 pb-1">
      {waiting.map((request, index) => {
        const interrupt = interrupts.find((item) => item.action_requests.includes(request))
        const thread = interrupt && project.threads.get(interrupt.threadId)
        const shown = splitVisible(summaryOf(request))
          .map(({ text }) => text)
          .join('')
        return (
          <li key={`${interrupt?.id}-${request.callId}`}>
            <button
              type="button"
              aria-label={labels.goTo(index + 1, `${shown}, ${interrupt?.agent ?? ''}`)}
              disabled={!thread}
              onClick={() => thread && updateUi((ui) => showApproval(ui, thread.id, request.callId))}
              className="flex min-h-7 w-full items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover"
            >
              <span className="text-faint tabular-nums">{index + 1}</span>
              <span className="min-w-0 flex-1">
                <span className="block truncate font-mono text-xs">{shown}</span>
                <span className="block truncate text-muted text-xs">{interrupt?.agent}</span>
              </span>
              <ChevronRight size={14} aria-hidden className="text-faint" />
            </button>
          </li>
        )
      })}
    </ol>
  )
}
