import { RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { canBeRestored, restorableUntil, type ThreadState } from '#shared/model/thread.ts'
import { formatDate } from '#shared/text/format.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/controls/notice.tsx'

const threadLabels = strings.threads

/** Replaces the message box of a deleted thread, which can still be read, and restored for some days. */
export function DeletedNotice({ thread: { id: threadId, deletedAt } }: { thread: ThreadState }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const restoring = useCommand()
  const until = restorableUntil(deletedAt ?? 0)
  return (
    <div className="shrink-0 border-line border-t px-4 py-3">
      <div className="mx-auto flex max-w-3xl flex-col gap-2">
        <Notice
          tone="warning"
          title={threadLabels.deletedTitle}
          detail={threadLabels.deletedUntil(formatDate(until))}
          actions={
            canBeRestored(deletedAt ?? 0, Date.now()) && (
              <Button
                icon={<RotateCcw size={14} aria-hidden />}
                disabled={restoring.busy}
                onClick={() => void restoring.run(() => client.threads.restore({ projectId, threadId }))}
              >
                {threadLabels.restore}
              </Button>
            )
          }
        />
        {restoring.refusal && <RefusalNotice refusal={restoring.refusal} />}
      </div>
    </div>
  )
}
