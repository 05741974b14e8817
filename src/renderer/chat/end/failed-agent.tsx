import { RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useClient, useCommand, useProjectId, useSession } from '../../state/hooks/hooks.tsx'
import { errorKind } from '../../state/store/error-kind.ts'
import { showThread } from '../../state/store/ui-state.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = strings.chat

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
        <span>{end ? labels.errors.cause[errorKind(end.cause ?? null, end.reason, end.message)] : ''}.</span>
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
