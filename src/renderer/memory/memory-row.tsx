import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { latestVersion, type Memory } from '#shared/model/memory.ts'
import { useUpdateView } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { showMemory } from '../state/view.ts'
import { IconButton } from '../ui/button.tsx'
import { formatDate } from '../ui/format.ts'
import { PathText } from '../ui/path-text.tsx'
import { VisibleText } from '../ui/visible-text-view.tsx'
import type { MemoryActs } from './use-memory-acts.ts'

const labels = strings.memory

export function MemoryRow({ memory, acts }: { memory: Memory; acts: MemoryActs }): ReactNode {
  const updateView = useUpdateView()
  const { name, text } = memory
  return (
    <li className="flex items-start gap-1 pr-1.5 hover:bg-hover">
      <button
        type="button"
        aria-label={name}
        onClick={() => updateView((view) => showMemory(view, name))}
        className="min-w-0 flex-1 px-3 py-2 text-left"
      >
        <PathText path={name} className="block font-medium text-sm!" />
        {text !== null && (
          <span className="block truncate">
            <VisibleText text={firstLine(text)} />
          </span>
        )}
        <span className="block text-muted text-xs">{provenanceOf(memory)}</span>
      </button>
      {text !== null && (
        <IconButton
          label={labels.deleteOne(name)}
          className="mt-2"
          disabled={acts.busy}
          onClick={() => acts.remove([memory])}
        >
          <Trash2 size={14} aria-hidden />
        </IconButton>
      )}
    </li>
  )
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}

/** Who wrote it last and when, and when an agent read it. */
function provenanceOf(memory: Memory): string {
  const { agent, at } = latestVersion(memory)
  const author = agent === null ? labels.by.person : labels.by.agent(agent)
  if (memory.text === null) return labels.deletedBy(author, formatDate(at))
  const used = memory.used ? labels.used(formatDate(memory.used.at)) : labels.neverUsed
  return `${labels.written(author, formatDate(at))} · ${used}`
}
