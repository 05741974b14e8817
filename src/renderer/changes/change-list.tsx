import type { ReactNode } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { ChangeMark } from '../state/change-mark.tsx'
import { useApp } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { classNames } from '../ui/class-names.ts'
import { LineCounts } from '../ui/line-counts.tsx'

export interface ChangeListProps {
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
  readonly chosen: VirtualPath
  readonly onChoose: (path: VirtualPath) => void
}

export function ChangeList({ branchId, changes, chosen, onChoose }: ChangeListProps): ReactNode {
  const authors = useApp((state) => state.timeline.authors.get(branchId))
  const threads = useApp((state) => state.journal.threads)
  const nameOf = (path: VirtualPath): string => {
    const author = authors?.get(path)
    if (author === undefined) return ''
    return author === null ? strings.chat.you : (threads.get(author)?.agent ?? '')
  }
  return (
    <ul aria-label={strings.changes.title} className="min-h-0 overflow-auto border-line py-1 md:border-r">
      {changes.map((change) => (
        <li key={change.path}>
          <button
            type="button"
            aria-current={change.path === chosen ? 'true' : undefined}
            onClick={() => onChoose(change.path)}
            className={classNames(
              'flex min-h-8 w-full items-baseline gap-2 px-3 py-1 text-left hover:bg-hover',
              change.path === chosen && 'bg-accent-soft',
            )}
          >
            <ChangeMark kind={change.kind} />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-mono text-xs" title={change.path}>
                {change.from ? `${change.from} → ${change.path}` : change.path}
              </span>
              <span className="block truncate text-muted text-xs">{nameOf(change.path)}</span>
            </span>
            <LineCounts added={change.added} removed={change.removed} />
          </button>
        </li>
      ))}
    </ul>
  )
}
