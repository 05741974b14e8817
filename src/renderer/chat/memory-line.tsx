import { NotebookPen, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { versionAt } from '#shared/model/snapshots.ts'
import type { RememberedNote } from '#shared/model/thread.ts'
import { useApp, useClient, useCommand, useProjectId, useUpdateView } from '../state/hooks.tsx'
import { fateOf, memoryUndo } from '../state/memory-undo.ts'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { showMemory } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { PathText } from '../ui/path-text.tsx'

const labels = strings.memory.chat

/** What a call wrote into the memory or took out of it, and the way back. */
export function MemoryLine({ note: { name, sequence } }: { note: RememberedNote }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const updateView = useUpdateView()
  const undoing = useCommand()
  const memory = useApp((state) => state.journal.memories.get(name))
  if (!memory) return null
  const undo = memoryUndo(memory, sequence)
  const fate = fateOf(memory, sequence)
  const isDeletion = versionAt(memory.versions, sequence)?.length === null
  return (
    <div className="ml-5">
      <p className="flex min-h-7 items-center gap-1.5">
        <NotebookPen size={14} aria-hidden className="shrink-0 text-accent" />
        <span className="shrink-0">{isDeletion ? labels.deleted : labels.wrote}</span>
        <button
          type="button"
          aria-label={labels.open(name)}
          onClick={() => updateView((view) => showMemory(view, name))}
          className="min-w-0 rounded-sm text-accent hover:underline"
        >
          <PathText path={name} />
        </button>
        {fate !== 'current' && <span className="shrink-0 text-muted">{labels[fate]}</span>}
        {undo && (
          <Button
            tone="quiet"
            className="h-6!"
            aria-label={labels.undo(name)}
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
