import { RotateCcw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useClient, useCommand, useProjectId, useSession } from '../../state/hooks/hooks.tsx'
import { errorKind } from '../../state/store/error-kind.ts'
import { showThread } from '../../state/store/ui-state.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = strings.chat

/** More that failed for the same cause are folded. */
const mostOfCause = 5

/** The subagents that failed, by cause. */
export function FailedAgents({ threads }: { readonly threads: readonly ThreadState[] }): ReactNode {
  const groups = Map.groupBy(threads, causeOf)
  return [...groups].map(([cause, group]) =>
    group.length > mostOfCause ? (
      <FailedGroup key={cause} cause={cause} threads={group} />
    ) : (
      <FailedRows key={cause} threads={group} />
    ),
  )
}

interface FailedGroupProps {
  readonly cause: string
  readonly threads: readonly ThreadState[]
}

function FailedGroup({ cause, threads }: FailedGroupProps): ReactNode {
  const [open, setOpen] = useState(false)
  return (
    <div className="mt-1 border-line border-t pt-1">
      <div className="flex flex-wrap items-center gap-x-3">
        <p className="flex-1 basis-64 tabular-nums">
          <span className="font-medium">{labels.outcomes.agentsFailed(threads.length)}</span> {cause}
        </p>
        <Button tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {labels.outcomes.showFailed(threads.length)}
        </Button>
      </div>
      {open && (
        <div className="max-h-80 overflow-auto">
          <FailedRows threads={threads} />
        </div>
      )}
    </div>
  )
}

function FailedRows({ threads }: { readonly threads: readonly ThreadState[] }): ReactNode {
  return threads.map((thread) => (
    <div key={thread.id} className="mt-1 border-line border-t pt-1">
      <FailedAgent thread={thread} />
    </div>
  ))
}

function causeOf({ end }: ThreadState): string {
  return end ? `${labels.errors.cause[errorKind(end.cause ?? null, end.reason, end.message)]}.` : '.'
}

/** A subagent that failed, why, and a way to let it go on. */
export function FailedAgent({ thread }: { thread: ThreadState }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const { updateUi } = useSession()
  const going = useCommand()
  const { end } = thread
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <p className="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
        <button
          type="button"
          className="font-medium hover:underline"
          onClick={() => updateUi((ui) => showThread(ui, thread.id))}
        >
          <VisibleText text={labels.outcomes.agentFailed(thread.agent)} />
        </button>{' '}
        <span>{causeOf(thread)}</span>
      </p>
      <Button
        icon={<RotateCcw size={14} aria-hidden />}
        disabled={going.busy}
        onClick={() => void going.run(() => client.threads.continue({ projectId, threadId: thread.id }))}
      >
        <VisibleText text={labels.outcomes.retry(thread.agent)} />
      </Button>
      {end && end.message !== '' && (
        <details className="basis-full text-muted text-xs">
          <summary className="min-h-6 cursor-pointer content-center">{labels.errors.details}</summary>
          <p className="whitespace-pre-wrap font-mono [overflow-wrap:anywhere]">
            <VisibleText text={end.message} />
          </p>
        </details>
      )}
      {going.refusal && <RefusalNotice refusal={going.refusal} />}
    </div>
  )
}
