import type { ReactNode } from 'react'
import type { MemoryVersion } from '#shared/model/memory.ts'
import { useApp, useUpdateView } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { showThread } from '../state/view.ts'
import { formatDate } from '../ui/format.ts'

const labels = strings.memory

/** Who, when, and the thread it was done in where that can be opened. */
export function Provenance({ version }: { version: MemoryVersion }): ReactNode {
  const updateView = useUpdateView()
  const thread = useApp((state) => state.journal.threads.get(version.threadId))
  const author = version.agent === null ? labels.by.person : labels.by.agent(version.agent)
  const when = formatDate(version.at)
  return (
    <p className="text-muted text-xs [overflow-wrap:anywhere]">
      {version.length === null ? labels.deletedBy(author, when) : labels.written(author, when)}{' '}
      {thread && (
        <button
          type="button"
          aria-label={labels.openThread(thread.title)}
          onClick={() => updateView((view) => showThread(view, thread.id))}
          className="rounded-sm text-left text-accent hover:underline"
        >
          {labels.inThread(thread.title)}
        </button>
      )}
    </p>
  )
}
