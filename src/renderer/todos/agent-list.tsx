import { ChevronDown, ChevronRight, GitBranch, MessageSquare, Square } from 'lucide-react'
import { memo, type ReactNode, useMemo, useState } from 'react'
import { type Components, Virtuoso } from 'react-virtuoso'
import type { ThreadState } from '#shared/model/thread.ts'
import { formatCount, formatDuration, formatElapsed, formatMoney } from '#shared/text/format.ts'
import { AgentMark } from '../parts/agents/agent-mark.tsx'
import { StatusMark } from '../parts/marks.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import {
  useApp,
  useAppSlowly,
  useClient,
  useCommand,
  useProjectId,
  useSession,
  useUpdateUi,
} from '../state/hooks/hooks.tsx'
import { activeFamily, isRunning } from '../state/store/selectors.ts'
import { showBranch, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { Menu } from '../ui/controls/menu.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { AriaElement } from '../ui/react/elements.tsx'
import { useNow } from '../ui/react/observers.ts'
import { describeAgent, groupAgents, workToStop } from './progress.ts'

const labels = strings.agents
/** The inspector, in which the list scrolls. */
const scrollerOf = (element: HTMLElement | null): HTMLElement | null => element?.closest('[data-region]') ?? null

type Row = { readonly kind: 'agent'; readonly thread: ThreadState } | { readonly kind: 'done'; readonly count: number }

const parts: Components<Row> = {
  List: ({ ref, ...props }) => <AriaElement {...props} ref={ref ?? null} role="list" />,
  Item: ({ item: _item, ...props }) => <AriaElement {...props} role="listitem" />,
}

function rowsOf(agents: readonly ThreadState[], unfolded: boolean): readonly Row[] {
  const { shown, done } = groupAgents(agents)
  const asRow = (thread: ThreadState): Row => ({ kind: 'agent', thread })
  return [
    ...shown.map(asRow),
    ...(done.length > 0 ? [{ kind: 'done', count: done.length } as const] : []),
    ...(unfolded ? done.map(asRow) : []),
  ]
}

/**
 * The subagents of the open thread, with their current work and cost. A long list folds those that are done. Only
 * visible rows are rendered, because a batch has a thousand agents.
 */
export function AgentList(): ReactNode {
  const family = useAppSlowly(activeFamily)
  const [unfolded, setUnfolded] = useState(false)
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const agents = useMemo(() => family.filter((thread) => thread.parent), [family])
  const running = useMemo(() => agents.filter(isRunning), [agents])
  const now = useNow(running.length > 0)
  const rows = useMemo(() => rowsOf(agents, unfolded), [agents, unfolded])
  return (
    <div className="px-2 pb-2" ref={(element) => setScroller(scrollerOf(element))}>
      {running.length > 1 && <StopAll running={running} />}
      {scroller && (
        <Virtuoso
          customScrollParent={scroller}
          data={rows}
          components={parts}
          computeItemKey={(_, row) => (row.kind === 'agent' ? row.thread.id : row.kind)}
          defaultItemHeight={28}
          increaseViewportBy={400}
          itemContent={(_, row) =>
            row.kind === 'agent' ? (
              <AgentRow thread={row.thread} now={isRunning(row.thread) ? now : row.thread.updatedAt} />
            ) : (
              <button
                type="button"
                aria-expanded={unfolded}
                onClick={() => setUnfolded(!unfolded)}
                className="flex h-7 w-full items-center gap-1.5 rounded-md px-1 text-muted text-xs hover:bg-hover"
              >
                <ChevronRight size={13} aria-hidden className={unfolded ? 'rotate-90' : undefined} />
                {labels.moreDone(row.count)}
              </button>
            )
          }
        />
      )}
    </div>
  )
}

/** Stops only the subagents. The agent that started them goes on with their results so far. */
function StopAll({ running }: { running: readonly ThreadState[] }): ReactNode {
  const { store } = useSession()
  const client = useClient()
  const projectId = useProjectId()
  const stopping = useCommand()
  const stopAll = () => {
    const { batches, threads } = workToStop(store.getState().project.threads, running)
    return Promise.all([
      ...batches.map((call) => client.batches.stop({ projectId, ...call })),
      ...threads.map((threadId) => client.threads.stop({ projectId, threadId })),
    ])
  }
  return (
    <div className="pb-1">
      <Menu
        trigger={
          <Button tone="quiet" disabled={stopping.busy}>
            {labels.atWork(running.length)}
            <ChevronDown size={13} aria-hidden />
          </Button>
        }
        choices={[{ id: 'stop', label: labels.stopAll(running.length), onSelect: () => void stopping.run(stopAll) }]}
      />
      {stopping.refusal && <RefusalNotice refusal={stopping.refusal} />}
    </div>
  )
}

/** Memoized: rows of finished agents do not render again while others work. */
const AgentRow = memo(function AgentRow({ thread, now }: { thread: ThreadState; now: number }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const updateUi = useUpdateUi()
  const stopping = useCommand()
  const isQueued = useApp((state) => state.live.delays.get(thread.id)?.kind === 'waiting')
  const line = describeAgent(thread, now)
  const work = isQueued ? strings.common.status.queued : line.work
  return (
    <>
      <div className="group/row relative flex h-7 items-center gap-1.5 rounded-md px-1 text-xs hover:bg-hover">
        <AgentMark name={thread.agent} />
        <span title={thread.agent} className="min-w-12 shrink truncate font-semibold text-sm">
          <VisibleText text={thread.agent} />
        </span>
        <span
          title={work}
          className={`min-w-0 flex-1 truncate ${thread.status === 'failed' ? 'text-bad' : 'text-muted'}`}
        >
          <VisibleText text={work} />
        </span>
        <span className="text-muted tabular-nums">
          {isRunning(thread) ? formatElapsed(line.elapsed) : line.elapsed >= 1000 && formatDuration(line.elapsed)}
        </span>
        {line.tokens > 0 && (
          <span title={labels.tokens(formatCount(line.tokens))} className="text-muted tabular-nums">
            {formatMoney(thread.usage.cost)}
          </span>
        )}
        <StatusMark status={isQueued ? 'queued' : thread.status} word={false} />
        <span className="absolute inset-y-0 right-0 flex items-center rounded-md bg-hover pl-1 opacity-0 focus-within:opacity-100 group-hover/row:opacity-100">
          {isRunning(thread) && (
            <IconButton
              label={labels.stop(thread.agent)}
              title={labels.stopHint(thread.agent)}
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
            <MessageSquare size={13} aria-hidden />
          </IconButton>
        </span>
      </div>
      {stopping.refusal && <RefusalNotice refusal={stopping.refusal} />}
    </>
  )
})
