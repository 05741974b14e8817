import { Rows3 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadId } from '#shared/model/ids.ts'
import type { CallState } from '#shared/model/thread.ts'
import { useApp, useUpdateView } from '../state/hooks.tsx'
import { outputKey } from '../state/live.ts'
import { strings } from '../state/strings.ts'
import { showBatch } from '../state/view.ts'
import { Button } from '../ui/button.tsx'

const labels = strings.batches

/** Below the call of a batch: how far it is while it runs, and the way to its tasks. */
export function BatchLine({ threadId, call }: { threadId: ThreadId; call: CallState }): ReactNode {
  const live = useApp((state) => state.live.batches.get(outputKey(threadId, call.callId)))
  const updateView = useUpdateView()
  const { callId } = call
  return (
    <div className="mb-1 ml-6 flex flex-wrap items-center gap-2 text-muted text-xs tabular-nums">
      <Button
        icon={<Rows3 size={13} aria-hidden />}
        onClick={() => updateView((view) => showBatch(view, { threadId, callId }))}
      >
        {labels.open}
      </Button>
      {live && <span>{labels.progressText(live.done, live.total)}</span>}
      {live && live.failed > 0 && <span className="text-bad">{labels.failed(live.failed)}</span>}
    </div>
  )
}
