import { ArrowLeft, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { latestVersion, type Memory } from '#shared/model/memory.ts'
import { formatDate } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { type MemoryScope, showMemory } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Empty, Notice } from '../ui/controls/notice.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { MemoryEditor } from './memory-editor.tsx'
import { MemoryOverview } from './memory-overview.tsx'
import { useUserMemories } from './memory-source.ts'
import { MemoryVersions, Provenance } from './memory-versions.tsx'
import { useMemoryActions } from './use-memory-actions.ts'

const labels = strings.memory

/** The memory of the open project and of all projects: the lists, or one memory with its versions. */
export function MemoryScreen(): ReactNode {
  const projectInfo = useApp((state) => state.projectInfo)
  const name = useApp((state) => state.ui.memory)
  const scope = useApp((state) => state.ui.memoryScope)
  if (!projectInfo) return <Empty title={labels.noProject} detail={labels.noProjectDetail} />
  if (name === null) return <MemoryOverview />
  if (name === '') return <MemoryDetail key={`new ${scope}`} memory={null} scope={scope} />
  return scope === 'user' ? <UserMemory key={name} name={name} /> : <ProjectMemory key={name} name={name} />
}

function ProjectMemory({ name }: { name: string }): ReactNode {
  const memory = useApp((state) => state.project.memories.get(name))
  // A memory that was just saved arrives with the next event.
  return memory ? <MemoryDetail memory={memory} scope="project" /> : <Waiting label={strings.common.loading} />
}

function UserMemory({ name }: { name: string }): ReactNode {
  const { loaded, memories, reload } = useUserMemories()
  const memory = memories?.get(name)
  if (loaded.state === 'failed') return <RefusalNotice refusal={loaded.refusal} onRetry={reload} />
  if (loaded.value && loaded.value.problem !== null)
    return <Notice tone="warning" title={labels.forAll.unusable} detail={loaded.value.problem} />
  return memory ? <MemoryDetail memory={memory} scope="user" /> : <Waiting label={strings.common.loading} />
}

/** One memory: its text to edit, its origin and its versions. Null begins a new one. */
function MemoryDetail({ memory, scope }: { memory: Memory | null; scope: MemoryScope }): ReactNode {
  const updateUi = useUpdateUi()
  const actions = useMemoryActions(scope)
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
          {scope === 'user' && <p className="text-muted text-xs">{labels.forAll.title}</p>}
          <Provenance version={latestVersion(memory)} />
          {memory.text !== null && (
            <p className="text-muted text-xs">
              {memory.used ? labels.used(formatDate(memory.used.at)) : labels.neverUsed}
            </p>
          )}
        </div>
      ) : (
        <h3 className="font-semibold text-base">{labels.scopes[scope].newLabel}</h3>
      )}
      {(!memory || memory.text !== null) && <MemoryEditor memory={memory} scope={scope} />}
      {memory && <MemoryVersions memory={memory} scope={scope} />}
    </>
  )
}
