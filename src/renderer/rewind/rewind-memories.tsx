import { Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RememberedSince } from '#shared/contract/views.ts'
import { useClient, useCommand, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { PathText } from '../ui/path-text.tsx'
import { toastNote } from '../ui/undo-toast.ts'

const labels = strings.rewind

/** A rewind leaves the memory alone; what was written since can be taken back here, one by one. */
export function RewindMemories(props: { memories: readonly RememberedSince[]; onChanged: () => void }): ReactNode {
  const { memories, onChanged } = props
  const client = useClient()
  const projectId = useProjectId()
  const undoing = useCommand()
  if (memories.length === 0) return null
  async function takeBack(name: string, undo: NonNullable<RememberedSince['undo']>): Promise<void> {
    const done = await undoing.run(() => client.memory.restore({ projectId, name, ...undo }))
    if (done) toastNote(labels.memoryUndone)
    onChanged()
  }
  return (
    <section aria-label={labels.memories} className="mb-2">
      <h3 className="font-medium">{labels.memories}</h3>
      {undoing.refusal && <RefusalNotice refusal={undoing.refusal} />}
      <ul className="rounded-md border border-line">
        {memories.map(({ name, undo }) => (
          <li key={name} className="flex min-h-8 items-center gap-2 border-line px-2 not-last:border-b">
            <PathText path={name} className="flex-1" />
            {undo ? (
              <Button
                tone="quiet"
                aria-label={labels.memoryUndo(name)}
                icon={<Undo2 size={14} aria-hidden />}
                disabled={undoing.busy}
                onClick={() => void takeBack(name, undo)}
              >
                {strings.common.undo}
              </Button>
            ) : (
              <span className="text-muted text-xs">{labels.memoryShared}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
