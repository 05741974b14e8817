import { ArrowLeft, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { latestVersion, type Memory } from '#shared/model/memory.ts'
import { useUpdateView } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { showMemory } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { formatDate } from '../ui/format.ts'
import { PathText } from '../ui/path-text.tsx'
import { MemoryEditor } from './memory-editor.tsx'
import { MemoryVersions } from './memory-versions.tsx'
import { Provenance } from './provenance.tsx'
import { useMemoryActs } from './use-memory-acts.ts'

const labels = strings.memory

/** One memory: its text to edit, where it comes from, and all it ever was. Null: a new one. */
export function MemoryDetail({ memory }: { memory: Memory | null }): ReactNode {
  const updateView = useUpdateView()
  const acts = useMemoryActs()
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          tone="quiet"
          icon={<ArrowLeft size={14} aria-hidden />}
          onClick={() => updateView((view) => showMemory(view, null))}
        >
          {labels.back}
        </Button>
        {memory && memory.text !== null && (
          <Button
            tone="danger"
            className="ml-auto"
            icon={<Trash2 size={14} aria-hidden />}
            disabled={acts.busy}
            onClick={() => acts.remove([memory])}
          >
            {labels.delete}
          </Button>
        )}
      </div>
      {acts.refusal && <RefusalNotice refusal={acts.refusal} />}
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
