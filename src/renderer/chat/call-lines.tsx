import { NotebookPen, Rows3, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { attemptsTool } from '#shared/model/calls/attempts.ts'
import type { Call, RememberedNote } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { versionAt } from '#shared/model/snapshots.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { outputKey } from '../state/store/live.ts'
import { fateOf, memoryUndo, userMemoryFate } from '../state/store/memory-undo.ts'
import { type MemoryScope, showBatch, showMemory } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { PathText } from '../ui/controls/path-text.tsx'

const labels = strings.batches
const memoryLabels = strings.memory.chat

/** Below a batch's call: its progress while it runs, and the button that opens its tasks. */
export function BatchLine({ threadId, call }: { threadId: ThreadId; call: Call }): ReactNode {
  const live = useApp((state) => state.live.batches.get(outputKey(threadId, call.callId)))
  const updateUi = useUpdateUi()
  const { callId } = call
  return (
    <div className="mb-1 ml-6 flex flex-wrap items-center gap-2 text-muted text-xs tabular-nums">
      <Button
        icon={<Rows3 size={13} aria-hidden />}
        onClick={() => updateUi((ui) => showBatch(ui, { threadId, callId }))}
      >
        {call.name === attemptsTool ? strings.attempts.open : labels.open}
      </Button>
      {live && <span>{labels.progressText(live.done, live.total)}</span>}
      {live && live.failed > 0 && <span className="text-bad">{labels.failed(live.failed)}</span>}
    </div>
  )
}

/** Shows what a call wrote to the memory or deleted from it, with its undo. */
export function MemoryLine({ note }: { note: RememberedNote }): ReactNode {
  return note.user ? <UserMemoryLine note={note} did={note.user} /> : <ProjectMemoryLine note={note} />
}

function ProjectMemoryLine({ note: { name, sequence } }: { note: RememberedNote }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const memory = useApp((state) => state.project.memories.get(name))
  if (!memory) return null
  const undo = memoryUndo(memory, sequence)
  return (
    <NoteLine
      name={name}
      scope="project"
      did={versionAt(memory.versions, sequence)?.length === null ? 'deleted' : 'wrote'}
      fate={fateOf(memory, sequence)}
      onUndo={undo && (() => client.memory.restore({ projectId, ...undo }))}
    />
  )
}

/** A memory for all projects. The host refuses an undo once another project wrote it again. */
function UserMemoryLine({ note, did }: { note: RememberedNote; did: 'written' | 'deleted' }): ReactNode {
  const { name, sequence } = note
  const client = useClient()
  const projectId = useProjectId()
  const writes = useApp((state) => state.project.userMemories.get(name))
  const fate = userMemoryFate(writes, sequence)
  return (
    <NoteLine
      name={name}
      scope="user"
      did={did === 'written' ? 'wroteForAll' : 'deletedForAll'}
      fate={fate}
      onUndo={fate === 'current' ? () => client.userMemory.undo({ projectId, sequence }) : null}
    />
  )
}

interface NoteLineProps {
  readonly name: string
  readonly scope: MemoryScope
  readonly did: 'wrote' | 'deleted' | 'wroteForAll' | 'deletedForAll'
  readonly fate: 'current' | 'undone' | 'replaced'
  readonly onUndo: (() => Promise<unknown>) | null
}

function NoteLine({ name, scope, did, fate, onUndo }: NoteLineProps): ReactNode {
  const updateUi = useUpdateUi()
  const undoing = useCommand()
  return (
    <div className="ml-5">
      <p className="flex min-h-7 flex-wrap items-center gap-x-1.5">
        <NotebookPen size={14} aria-hidden className="shrink-0 text-accent" />
        <span className="shrink-0">{memoryLabels[did]}</span>
        <button
          type="button"
          aria-label={memoryLabels.open(name)}
          onClick={() => updateUi((ui) => showMemory(ui, name, scope))}
          className="min-w-0 rounded-sm text-accent hover:underline"
        >
          <PathText path={name} />
        </button>
        {fate !== 'current' && <span className="shrink-0 text-muted">{memoryLabels[fate]}</span>}
        {onUndo && (
          <Button
            tone="quiet"
            className="h-6!"
            aria-label={memoryLabels.undo(name)}
            icon={<Undo2 size={13} aria-hidden />}
            disabled={undoing.busy}
            onClick={() => void undoing.run(onUndo)}
          >
            {strings.common.undo}
          </Button>
        )}
      </p>
      {undoing.refusal && <RefusalNotice refusal={undoing.refusal} />}
    </div>
  )
}
