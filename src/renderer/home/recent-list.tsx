import { Folder, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApp, useSession } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { IconButton } from '../ui/button.tsx'
import { formatDate } from '../ui/format.ts'

const labels = strings.home

export function RecentList({ onOpen }: { onOpen: (path: string) => void }): ReactNode {
  const session = useSession()
  const recent = useApp((state) => state.info?.recent)
  async function forget(path: string): Promise<void> {
    await session.client.projects.forget({ path })
    await session.refreshInfo()
  }
  return (
    <section aria-label={labels.recent}>
      <h2 className="mb-1 font-medium text-muted">{labels.recent}</h2>
      {!recent || recent.length === 0 ? (
        <p className="rounded-md border border-line border-dashed px-3 py-4 text-muted">{labels.noRecent}</p>
      ) : (
        <ul className="divide-y divide-line rounded-md border border-line">
          {recent.map((project) => (
            <li key={project.path} className="flex items-center pr-1 hover:bg-hover">
              <button
                type="button"
                className="flex min-w-0 flex-1 items-center gap-2 px-3 py-2 text-left"
                onClick={() => onOpen(project.path)}
              >
                <Folder size={15} aria-hidden className="shrink-0 text-muted" />
                <span className="shrink-0 font-medium">{project.name}</span>
                <span className="min-w-0 flex-1 truncate text-muted">{project.path}</span>
                <span className="hidden shrink-0 text-muted text-xs sm:inline">{formatDate(project.openedAt)}</span>
              </button>
              <IconButton label={labels.forget(project.name)} onClick={() => void forget(project.path)}>
                <X size={14} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
