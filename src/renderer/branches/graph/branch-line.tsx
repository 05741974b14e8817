import { Square } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp, useClient, useCommand, useLoaded, useProjectId } from '../../state/hooks.tsx'
import { StatusMark } from '../../state/status.tsx'
import { strings } from '../../state/strings.ts'
import { IconButton } from '../../ui/button.tsx'
import { formatDuration, formatElapsed, formatMoney } from '../../ui/format.ts'
import { LineCounts } from '../../ui/line-counts.tsx'
import { useNow } from '../../ui/use-now.ts'

const words = strings.branches
const running = new Set(['working', 'queued', 'needs_you'])

/** What its agent does now, for how long, what it cost and how much it changed. */
export function BranchLine({ branch }: { branch: Branch }): ReactNode {
  const thread = useApp((state) => state.journal.threads.get(branch.threadId))
  const isRunning = thread !== undefined && running.has(thread.status)
  const now = useNow(isRunning)
  if (branch.status === 'discarded') return <span className="block text-muted text-xs">{words.discarded}</span>
  if (!thread) return null
  const lines = <ChangedLines branchId={branch.id} second={isRunning ? now : null} />
  if (branch.parentId === null) return <span className="flex text-muted text-xs leading-4">{lines}</span>
  const elapsed = Math.max((isRunning ? now : thread.updatedAt) - (thread.runStartedAt ?? thread.createdAt), 0)
  const lastTool = isRunning ? [...thread.calls.values()].at(-1)?.name : undefined
  const parts = [
    lastTool,
    isRunning ? formatElapsed(elapsed) : formatDuration(elapsed),
    thread.usage.cost !== 0 && formatMoney(thread.usage.cost),
  ]
  return (
    <span className="flex items-center gap-1.5 text-muted text-xs tabular-nums leading-4">
      <StatusMark status={thread.status} />
      <span className="min-w-0 truncate">{parts.filter(Boolean).join(' · ')}</span>
      {lines}
    </span>
  )
}

interface ChangedLinesProps {
  readonly branchId: BranchId
  /** The present second of a branch that is worked on: it is counted once in each. */
  readonly second: number | null
}

function ChangedLines({ branchId, second }: ChangedLinesProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const version = useApp((state) => state.timeline.versions.get(branchId) ?? 0)
  const held = useRef({ second, version })
  if (second === null || held.current.second !== second) held.current = { second, version }
  const [{ value }] = useLoaded(`${branchId} ${held.current.version}`, async (signal) =>
    version === 0 ? null : client.branches.lines({ projectId, branchId }, { signal }),
  )
  if (!value || value.files === 0) return null
  if (value.added + value.removed === 0) return <span className="shrink-0">{words.eventPaths(value.files)}</span>
  return (
    <span className="shrink-0" title={words.eventPaths(value.files)}>
      <LineCounts added={value.added} removed={value.removed} />
    </span>
  )
}

/** Ends the agent that works on it. */
export function StopBranch({ branch }: { branch: Branch }): ReactNode {
  const thread = useApp((state) => state.journal.threads.get(branch.threadId))
  const client = useClient()
  const projectId = useProjectId()
  const stopping = useCommand()
  if (branch.parentId === null || !thread || !running.has(thread.status)) return null
  return (
    <IconButton
      label={strings.agents.stop(thread.agent)}
      className="size-6!"
      tabIndex={-1}
      disabled={stopping.busy}
      onClick={(event) => {
        event.stopPropagation()
        void stopping.run(() => client.threads.stop({ projectId, threadId: thread.id }))
      }}
    >
      <Square size={12} aria-hidden />
    </IconButton>
  )
}
