import { GitBranch } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { formatDuration, formatElapsed } from '#shared/text/format.ts'
import { StatusMark } from '../parts/marks.tsx'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { isRunning } from '../state/store/selectors.ts'
import { showBranch, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { useNow } from '../ui/react/observers.ts'
import { resultOf } from './board.ts'
import { describeAgent } from './progress.ts'

const labels = strings.board
const shownAtMost = 3

/** The subagents of a card: name, branch, time, and what each of them brought. */
export function CardAgents({ agents }: { agents: readonly ThreadState[] }): ReactNode {
  if (agents.length === 0) return null
  return (
    <ul className="mt-1 flex flex-col gap-1">
      {agents.slice(0, shownAtMost).map((thread) => (
        <CardAgent key={thread.id} thread={thread} />
      ))}
      {agents.length > shownAtMost && (
        <li className="text-muted text-xs">{labels.moreAgents(agents.length - shownAtMost)}</li>
      )}
    </ul>
  )
}

function CardAgent({ thread }: { thread: ThreadState }): ReactNode {
  const updateUi = useUpdateUi()
  const branch = useApp(({ project }) => project.branches.get(thread.branchId)?.name ?? '')
  const running = isRunning(thread)
  const now = useNow(running)
  const { elapsed, work } = describeAgent(thread, running ? now : thread.updatedAt)
  const result = resultOf(thread)
  const line = running ? work : result.text
  return (
    <li className="min-w-0 text-xs">
      <span className="flex min-h-6 items-center gap-1.5">
        <StatusMark status={thread.status} word={false} />
        <button
          type="button"
          aria-label={labels.showAgent(thread.agent)}
          title={labels.showAgent(thread.agent)}
          onClick={() => updateUi((ui) => showThread(ui, thread.id))}
          className="min-w-0 shrink truncate rounded-sm py-1 font-medium hover:underline"
        >
          <VisibleText text={thread.agent} />
        </button>
        <button
          type="button"
          aria-label={labels.showBranch(thread.agent)}
          title={labels.showBranch(thread.agent)}
          onClick={() => updateUi((ui) => showBranch(ui, thread.branchId))}
          className="flex min-h-6 min-w-6 items-center justify-center gap-1 rounded-sm px-1 text-muted hover:bg-hover hover:text-text"
        >
          <GitBranch size={12} aria-hidden className="shrink-0" />
          {branch !== thread.agent && <span className="max-w-28 truncate">{branch}</span>}
        </button>
        <span className="ml-auto shrink-0 text-muted tabular-nums">
          {running ? formatElapsed(elapsed) : formatDuration(elapsed)}
        </span>
      </span>
      {line !== '' && (
        <span className={`line-clamp-2 [overflow-wrap:anywhere] ${result.failed ? 'text-bad' : 'text-muted'}`}>
          <VisibleText text={line} />
        </span>
      )}
    </li>
  )
}
