import type { ReactNode } from 'react'
import type { LineSource } from '#shared/contract/views/files.ts'
import { useUpdateUi } from '../../state/hooks/hooks.tsx'
import { showApproval } from '../../state/store/ui-state.ts'
import { blameStrings as labels } from '../../strings/later/blame.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { AgentMark } from '../agents/agent-mark.tsx'

/** Who put lines where they are, in which call, for which message, and what the person decided about it. */
export function LineSourceView({ source }: { source: LineSource | null }): ReactNode {
  const updateUi = useUpdateUi()
  if (source === null) return <p className="text-muted">{labels.folder}</p>
  const { agent, branch, tool, how, at, task, decision, callId, threadId } = source
  const what = tool ?? labels.how[how]
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="flex min-w-0 items-center gap-1.5">
        {how === 'call' && <AgentMark name={agent} />}
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <VisibleText text={how === 'call' ? labels.wrote(agent, what, branch) : labels.edited(what, branch)} />
        </span>
        <span className="ml-auto shrink-0 text-faint text-xs tabular-nums">{labels.at(at)}</span>
      </p>
      {task !== '' && (
        <p className="text-muted [overflow-wrap:anywhere]">
          <VisibleText text={labels.task(task)} />
        </p>
      )}
      {callId !== null && (
        <p className="flex flex-wrap items-center gap-2 text-muted text-xs">
          {decision === null ? labels.notAsked : labels.decided[decision]}
          <Button tone="quiet" onClick={() => updateUi((ui) => showApproval(ui, threadId, callId))}>
            {labels.showCall}
          </Button>
        </p>
      )}
    </div>
  )
}
