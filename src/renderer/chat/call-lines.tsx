import { NotebookPen, Rows3, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadId } from '#shared/model/ids.ts'
import { versionAt } from '#shared/model/snapshots.ts'
import type { CallState, RememberedNote } from '#shared/model/thread.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { outputKey } from '../state/store/live.ts'
import { fateOf, memoryUndo } from '../state/store/memory-undo.ts'
import { showBatch, showMemory } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { PathText } from '../ui/controls/path-text.tsx'

const labels = strings.batches
const memoryLabels = strings.memory.chat

/** Below a batch's call: its progress while it runs, and the button that opens its tasks. */
export function BatchLine({ threadId, call }: { threadId: ThreadId; call: CallState }): ReactNode {
  const live = useApp((state) => state.live.batches.get(outputKey(threadId, call.callId)))
  const updateUi = useUpdateUi()
  const { callId } = call
  return (
    <div className="mb-1 ml-6 flex flex-wrap items-center gap-2 text-muted text-xs tabular-nums">
      <Button
        icon={<Rows3 size={13} aria-hidden />}
        onClick={() => updateUi((ui) => showBatch(ui, { threadId, callId }))}
      >
        {labels.open}
      </Button>
      {live && <span>{labels.progressText(live.done, live.total)}</span>}
      {live && live.failed > 0 && <span className="text-bad">{labels.failed(live.failed)}</span>}
    </div>
  )
}

/** Shows what a call wrote to the memory or deleted from it, with its undo. */
export function MemoryLine({ note: { name, sequence } }: { note: RememberedNote }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const updateUi = useUpdateUi()
  const undoing = useCommand()
  const memory = useApp((state) => state.project.memories.get(name))
  if (!memory) return null
  const undo = memoryUndo(memory, sequence)
  const fate = fateOf(memory, sequence)
  const isDeletion = versionAt(memory.versions, sequence)?.length === null
  return (
    <div className="ml-5">
      <p className="flex min-h-7 items-center gap-1.5">
        <NotebookPen size={14} aria-hidden className="shrink-0 text-accent" />
        <span className="shrink-0">{isDeletion ? memoryLabels.deleted : memoryLabels.wrote}</span>
        <button
          type="button"
          aria-label={memoryLabels.open(name)}
          onClick={() => updateUi((ui) => showMemory(ui, name))}
          className="min-w-0 rounded-sm text-accent hover:underline"
        >
          <PathText path={name} />
        </button>
        {fate !== 'current' && <span className="shrink-0 text-muted">{memoryLabels[fate]}</span>}
        {undo && (
          <Button
            tone="quiet"
            className="h-6!"
            aria-label={memoryLabels.undo(name)}
            icon={<Undo2 size={13} aria-hidden />}
            disabled={undoing.busy}
            onClick={() => void undoing.run(() => client.memory.restore({ projectId, ...undo }))}
          >
            {strings.common.undo}
          </Button>
        )}
      </p>
      {undoing.refusal && <RefusalNotice refusal={undoing.refusal} />}
    </div>
  )
}
