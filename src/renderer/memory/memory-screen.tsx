import { ArrowLeft, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { latestVersion, type Memory } from '#shared/model/memory.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { showMemory } from '../state/store/ui-state.ts'
import { formatDate } from '../strings/format.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { MemoryEditor } from './memory-editor.tsx'
import { MemoryOverview } from './memory-overview.tsx'
import { MemoryVersions, Provenance } from './memory-versions.tsx'
import { useMemoryActions } from './use-memory-actions.ts'

const labels = strings.memory

/** The memory of the open project: the list, or one memory with its versions. */
export function MemoryScreen(): ReactNode {
  const projectInfo = useApp((state) => state.projectInfo)
  const name = useApp((state) => state.ui.memory)
  const memory = useApp((state) => (name === null ? undefined : state.project.memories.get(name)))
  if (!projectInfo) return <Empty title={labels.noProject} detail={labels.noProjectDetail} />
  if (name === null) return <MemoryOverview />
  // A memory that was just saved arrives with the next event.
  if (name !== '' && !memory) return <Waiting label={strings.common.loading} />
  return <MemoryDetail key={name} memory={memory ?? null} />
}

/** One memory: its text to edit, its origin and its versions. Null begins a new one. */
function MemoryDetail({ memory }: { memory: Memory | null }): ReactNode {
  const updateUi = useUpdateUi()
  const actions = useMemoryActions()
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          tone="quiet"
          icon={<ArrowLeft size={14} aria-hidden />}
          onClick={() => updateUi((ui) => showMemory(ui, null))}
        >
          {labels.back}
        </Button>
        {memory && memory.text !== null && (
          <Button
            tone="danger"
            className="ml-auto"
            icon={<Trash2 size={14} aria-hidden />}
            disabled={actions.busy}
            onClick={() => actions.remove([memory])}
          >
            {labels.delete}
          </Button>
        )}
      </div>
      {actions.refusal && <RefusalNotice refusal={actions.refusal} />}
      {memory ? (
        <div>
          <h3 className="font-semibold text-base">
            <PathText path={memory.name} className="block text-base!" />
          </h3>
          <Provenance version={latestVersion(memory)} />
          {memory.text !== null && (
            <p className="text-muted text-xs">
              {memory.used ? labels.used(formatDate(memory.used.at)) : labels.neverUsed}
            </p>
          )}
        </div>
      ) : (
        <h3 className="font-semibold text-base">{labels.new}</h3>
      )}
      {(!memory || memory.text !== null) && <MemoryEditor memory={memory} />}
      {memory && <MemoryVersions memory={memory} />}
    </>
  )
}
