import { RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { canBeRestored, restorableUntil } from '#shared/model/thread.ts'
import { useClient, useCommand, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { formatDate } from '../ui/format.ts'
import { Notice } from '../ui/notice.tsx'

const labels = strings.threads

/** Stands where the message box is: a deleted thread can be read, and restored while there is time. */
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
          title={labels.deletedTitle}
          detail={labels.deletedUntil(formatDate(until))}
          actions={
            canBeRestored(deletedAt ?? 0, Date.now()) && (
              <Button
                icon={<RotateCcw size={14} aria-hidden />}
                disabled={restoring.busy}
                onClick={() => void restoring.run(() => client.threads.restore({ projectId, threadId }))}
              >
                {labels.restore}
              </Button>
            )
          }
        />
        {restoring.refusal && <RefusalNotice refusal={restoring.refusal} />}
      </div>
    </div>
  )
}
