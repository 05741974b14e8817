import { FileText, Square } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import { formatDuration, formatElapsed, formatMoney } from '#shared/text/format.ts'
import { describeCall } from '#shared/tools/tool-labels.ts'
import { useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { isRunning } from '../../state/store/selectors.ts'
import { strings } from '../../strings/strings.ts'
import { IconButton } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { LineCounts } from '../../ui/diff/diff-parts.tsx'
import { useNow } from '../../ui/react/observers.ts'

const labels = strings.branches

/** How long a branch's agent worked, and what it cost. */
export function BranchTime({ branch }: { branch: Branch }): ReactNode {
  const thread = useApp((state) => state.project.threads.get(branch.threadId))
  const running = thread !== undefined && isRunning(thread)
  const now = useNow(running)
  if (branch.status === 'discarded' || !thread) return null
  const elapsed = Math.max((running ? now : thread.updatedAt) - (thread.runStartedAt ?? thread.createdAt), 0)
  const time = running ? formatElapsed(elapsed) : elapsed >= 1000 && formatDuration(elapsed)
  const parts = [time, thread.usage.cost !== 0 && formatMoney(thread.usage.cost)]
  return <span className="shrink-0 text-muted text-xs tabular-nums">{parts.filter(Boolean).join(' · ')}</span>
}

/** What the branch's agent does now, or `fallback` before its first call. */
export function LastTool({ branch, fallback }: { branch: Branch; fallback: string }): ReactNode {
  const call = useApp((state) => [...(state.project.threads.get(branch.threadId)?.calls.values() ?? [])].at(-1))
  if (!call) return <VisibleText text={fallback} />
  const { verb, object } = describeCall(call.name, call.input)
  return <VisibleText text={`${verb} ${object}`} />
}

/** The number of lines a branch changed since its fork. Counted at most once a second while its agent works. */
export function ChangedLines({ branch: { id: branchId, threadId } }: { branch: Branch }): ReactNode {
  const projectId = useProjectId()
  const version = useApp((state) => state.timeline.versions.get(branchId) ?? 0)
  const running = useApp((state) => {
    const thread = state.project.threads.get(threadId)
    return thread !== undefined && isRunning(thread)
  })
  const now = useNow(running)
  const second = running ? now : null
  const held = useRef({ second, version })
  if (second === null || held.current.second !== second) held.current = { second, version }
  const [{ value }] = useQuery('branches.lines', version === 0 ? null : { projectId, branchId }, held.current.version)
  if (!value || value.files === 0) return null
  const files = labels.eventPaths(value.files)
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-muted text-xs tabular-nums max-sm:hidden" title={files}>
      <span className="flex items-center gap-0.5">
        <FileText size={11} aria-hidden />
        {value.files}
        <span className="sr-only">{files.replace(/^\d+/, '')}</span>
      </span>
      {value.added + value.removed > 0 && <LineCounts added={value.added} removed={value.removed} />}
    </span>
  )
}

/** Stops the agent that works on the branch. */
export function StopBranch({ branch }: { branch: Branch }): ReactNode {
  const thread = useApp((state) => state.project.threads.get(branch.threadId))
  const client = useClient()
  const projectId = useProjectId()
  const stopping = useCommand()
  if (branch.parentId === null || !thread || !isRunning(thread)) return null
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
