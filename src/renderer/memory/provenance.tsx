import type { ReactNode } from 'react'
import type { MemoryVersion } from '#shared/model/memory.ts'
import { useApp, useUpdateView } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { showThread } from '../state/view.ts'
import { formatDate } from '../ui/format.ts'

const words = strings.memory

/** Who, when, and the thread it was done in where that can be opened. */
export function Provenance({ version }: { version: MemoryVersion }): ReactNode {
  const updateView = useUpdateView()
  const thread = useApp((state) => state.journal.threads.get(version.threadId))
  const author = version.agent === null ? words.by.person : words.by.agent(version.agent)
  const when = formatDate(version.at)
  return (
    <p className="text-muted text-xs [overflow-wrap:anywhere]">
      {version.length === null ? words.deletedBy(author, when) : words.written(author, when)}{' '}
      {thread && (
        <button
          type="button"
          aria-label={words.openThread(thread.title)}
          onClick={() => updateView((view) => showThread(view, thread.id))}
          className="rounded-sm text-left text-accent hover:underline"
        >
          {words.inThread(thread.title)}
        </button>
      )}
    </p>
  )
}
