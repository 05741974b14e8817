import { ChevronRight, File, Folder, FolderOpen, Link } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { FileEntry } from '#shared/contract/views/files.ts'
import { ChangeMark, changeColours, DriftMark } from '../parts/marks.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { authorIn } from '../state/hooks/use-author-names.ts'
import { workspaceOf } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'
import type { EntryRow } from './tree-rows.ts'

const labels = strings.files

interface FileRowProps {
  readonly row: EntryRow
  readonly index: number
  /** True for the row that Tab leads to. */
  readonly reached: boolean
  readonly onActivate: (entry: FileEntry) => void
}

export const FileRow = memo(function FileRow({ row, index, reached, onActivate }: FileRowProps): ReactNode {
  const { entry, level, position, siblings, open } = row
  const isFolder = entry.kind === 'directory'
  const { change } = entry
  return (
    <div
      role="treeitem"
      data-row={index}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isFolder ? open : undefined}
      aria-selected={false}
      tabIndex={reached ? 0 : -1}
      onClick={() => onActivate(entry)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onActivate(entry)
      }}
      style={{ paddingLeft: level * 12 }}
      className="flex h-6 items-center gap-1 pr-3 hover:bg-hover"
    >
      <ChevronRight
        size={13}
        aria-hidden
        className={classNames('shrink-0 text-faint', !isFolder && 'invisible', open && 'rotate-90')}
      />
      <EntryIcon entry={entry} open={open} />
      <span
        title={entry.ignored ? labels.ignored : undefined}
        className={classNames(
          'truncate',
          entry.ignored && !change && 'text-faint',
          change && changeColours[change],
          change === 'delete' && 'line-through',
        )}
      >
        <VisibleText text={entry.name} />
      </span>
      <Marks entry={entry} />
    </div>
  )
})

/** Marks how the file changed on the branch and on disk. */
function Marks({ entry: { path, change, changedBelow } }: { entry: FileEntry }): ReactNode {
  const drift = useApp((state) => {
    const branchId = workspaceOf(state)
    return branchId ? state.live.drifts.get(branchId)?.get(path) : undefined
  })
  const author = useApp((state) => authorIn(state, workspaceOf(state), path))
  return (
    <>
      {(change || drift) && (
        <span className="ml-auto flex items-center gap-2">
          {drift && <DriftMark drift={drift} short />}
          {change && (
            <span title={author && strings.common.lastChangedBy(author)}>
              <ChangeMark kind={change} />
              <span className="sr-only">{author}</span>
            </span>
          )}
        </span>
      )}
      {!change && changedBelow && (
        <span title={labels.changedBelow} className="ml-auto size-1.5 rounded-full bg-warn">
          <span className="sr-only">{labels.changedBelow}</span>
        </span>
      )}
    </>
  )
}

function EntryIcon({ entry, open }: { entry: FileEntry; open: boolean }): ReactNode {
  const Icon = entry.kind === 'symlink' ? Link : entry.kind === 'file' ? File : open ? FolderOpen : Folder
  return <Icon size={14} aria-hidden className="shrink-0 text-faint" />
}
