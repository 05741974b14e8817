import { GitCompareArrows, History, MessageSquare, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { checkpointBefore } from '#shared/model/derived/checkpoints.ts'
import { formatTime } from '#shared/text/format.ts'
import { useApp, useSession, useUpdateUi } from '../state/hooks/hooks.tsx'
import type { CallKey } from '../state/store/branch-events.ts'
import { showMessage, showRewind, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { eventText } from './graph/event-text.ts'
import type { GraphNode } from './graph/lanes.ts'

const labels = strings.branches

interface EventBarProps {
  readonly node: GraphNode
  readonly name: string
  readonly isRoot: boolean
  readonly onCompare: () => void
  readonly onCompareBefore: (() => void) | null
  readonly onClose: () => void
}

/** One event of the graph: what happened, the agent whose calls caused it, and the commands for it. */
export function EventBar({ node, name, isRoot, onCompare, onCompareBefore, onClose }: EventBarProps): ReactNode {
  const { event } = node
  const last = event.calls.at(-1)
  return (
    <section
      aria-label={labels.details}
      className="flex min-h-9 flex-wrap items-center gap-x-2 gap-y-1 border-line border-b bg-panel px-3 py-1"
    >
      <p className="min-w-0 flex-1 basis-40 truncate">
        <span className="font-medium">
          <VisibleText text={name} />
        </span>{' '}
        · <VisibleText text={eventText(event, isRoot)} /> ·{' '}
        <span className="text-muted tabular-nums">{formatTime(event.at)}</span>
        {event.calls.length > 0 && <span className="text-muted"> · {labels.byCalls(event.calls.length)}</span>}
        {event.kind === 'work' && event.calls.length === 0 && <span className="text-muted"> · {labels.byPerson}</span>}
      </p>
      {last && <ShowCall call={last} />}
      {event.kind === 'checkpoint' && <RewindButton node={node} />}
      {onCompareBefore && (
        <Button icon={<GitCompareArrows size={14} aria-hidden />} onClick={onCompareBefore}>
          {labels.compareBefore}
        </Button>
      )}
      <Button icon={<GitCompareArrows size={14} aria-hidden />} onClick={onCompare}>
        {labels.compareWith}
      </Button>
      <IconButton label={strings.common.close} className="size-6!" onClick={onClose}>
        <X size={14} aria-hidden />
      </IconButton>
    </section>
  )
}

/** Opens the chat of the agent at the call that made the change. */
function ShowCall({ call: { threadId, callId } }: { call: CallKey }): ReactNode {
  const updateUi = useUpdateUi()
  const thread = useApp((state) => state.project.threads.get(threadId))
  const message = thread?.messages.findLast(
    ({ role, content }) =>
      role === 'assistant' && content.some((part) => part.type === 'tool_call' && part.callId === callId),
  )
  if (!thread) return null
  return (
    <Button
      icon={<MessageSquare size={14} aria-hidden />}
      onClick={() =>
        updateUi((ui) => (message ? showMessage(ui, threadId, message.messageId) : showThread(ui, threadId)))
      }
    >
      {labels.showCall(thread.calls.get(callId)?.name ?? '')}
    </Button>
  )
}

function RewindButton({ node: { branchId, event } }: { node: GraphNode }): ReactNode {
  const { store, updateUi } = useSession()
  const threadId = useApp((state) => state.project.branches.get(branchId)?.threadId)
  function rewind(): void {
    const past = threadId && store.getState().project.past.threads.get(threadId)
    const to = past && event.messageId ? (checkpointBefore(past, event.messageId) ?? null) : null
    updateUi((ui) => showRewind(ui, to))
  }
  return (
    <Button icon={<History size={14} aria-hidden />} onClick={rewind}>
      {labels.rewindHere}
    </Button>
  )
}
