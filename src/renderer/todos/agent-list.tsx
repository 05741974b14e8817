import { ArrowUpRight, GitBranch, Square } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { StatusMark } from '../parts/marks.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useAppSlowly, useClient, useCommand, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { activeFamily, isRunning } from '../state/store/selectors.ts'
import { showBranch, showThread } from '../state/store/ui-state.ts'
import { formatCount, formatDuration, formatElapsed, formatMoney } from '../strings/format.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { useNow } from '../ui/react/observers.ts'
import { describeAgent, limitAgents } from './progress.ts'

const labels = strings.agents
/** The most agents that are shown. The rest are only counted. */
const shownAtMost = 40

/** The subagents of the open thread, with their current work and cost. */
export function AgentList(): ReactNode {
  const state = useAppSlowly((now) => now)
  const agents = activeFamily(state).filter((thread) => thread.parent)
  const running = agents.filter(isRunning)
  const now = useNow(running.length > 0)
  if (agents.length === 0) return <p className="px-3 pb-2 text-muted">{labels.noAgents}</p>
  return (
    <ul className="px-3 pb-2">
      {running.length > 1 && <StopAll running={running} />}
      {limitAgents(agents, shownAtMost).map((thread) => (
        <AgentRow key={thread.id} thread={thread} now={isRunning(thread) ? now : thread.updatedAt} />
      ))}
      {agents.length > shownAtMost && <li className="text-muted">+ {agents.length - shownAtMost}</li>}
    </ul>
  )
}

/** Stops only the subagents. The agent that started them goes on with their results so far. */
function StopAll({ running }: { running: readonly ThreadState[] }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const stopping = useCommand()
  const stopAll = () => Promise.all(running.map(({ id }) => client.threads.stop({ projectId, threadId: id })))
  return (
    <li className="pb-1">
      <Button
        icon={<Square size={12} aria-hidden />}
        disabled={stopping.busy}
        onClick={() => void stopping.run(stopAll)}
      >
        {labels.stopAll(running.length)}
      </Button>
      {stopping.refusal && <RefusalNotice refusal={stopping.refusal} />}
    </li>
  )
}

/** Memoized: rows of finished agents do not render again while others work. */
const AgentRow = memo(function AgentRow({ thread, now }: { thread: ThreadState; now: number }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const updateUi = useUpdateUi()
  const stopping = useCommand()
  const delay = useApp((state) => state.live.delays.get(thread.id))
  const line = describeAgent(thread, now)
  const lastTool = delay?.kind === 'waiting' ? labels.waiting(delay.ahead) : line.lastTool
  return (
    <li className="border-line py-1.5 not-last:border-b">
      <div className="flex items-center gap-1">
        <span title={thread.agent} className="min-w-0 flex-1 truncate font-medium">
          <VisibleText text={thread.agent} />
        </span>
        <StatusMark status={thread.status} />
        {isRunning(thread) && (
          <IconButton
            label={labels.stop(thread.agent)}
            className="size-6!"
            disabled={stopping.busy}
            onClick={() => void stopping.run(() => client.threads.stop({ projectId, threadId: thread.id }))}
          >
            <Square size={12} aria-hidden />
          </IconButton>
        )}
        <IconButton
          label={labels.review(thread.agent)}
          className="size-6!"
          onClick={() => updateUi((ui) => showBranch(ui, thread.branchId))}
        >
          <GitBranch size={13} aria-hidden />
        </IconButton>
        <IconButton
          label={labels.open(thread.agent)}
          className="size-6!"
          onClick={() => updateUi((ui) => showThread(ui, thread.id))}
        >
          <ArrowUpRight size={14} aria-hidden />
        </IconButton>
      </div>
      <p className="flex gap-2 text-muted text-xs tabular-nums">
        <span className="min-w-0 flex-1 truncate">{lastTool}</span>
        <span>{isRunning(thread) ? formatElapsed(line.elapsed) : formatDuration(line.elapsed)}</span>
        {line.tokens > 0 && (
          <>
            <span>{labels.tokens(formatCount(line.tokens))}</span>
            <span>{formatMoney(thread.usage.cost)}</span>
          </>
        )}
      </p>
      {stopping.refusal && <RefusalNotice refusal={stopping.refusal} />}
    </li>
  )
})
