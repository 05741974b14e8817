import type { ReactNode } from 'react'
import { FileTree } from '../files/file-tree.tsx'
import { useProjectId } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { ThreadList } from '../threads/thread-list.tsx'

const labels = strings.shell

export function Sidebar(): ReactNode {
  const projectId = useProjectId()
  return (
    <div data-region tabIndex={-1} className="flex h-full flex-col bg-panel outline-none">
      <div className="flex max-h-[55%] min-h-24 shrink-0 flex-col border-line border-b">
        <ThreadList />
      </div>
      <section aria-label={labels.files} className="flex min-h-0 flex-1 flex-col">
        <h2 className="px-3 py-1.5 font-semibold text-muted text-xs uppercase tracking-wide">{labels.files}</h2>
        <FileTree key={projectId} />
      </section>
    </div>
  )
}
