import { ChevronRight, File, Folder, FolderOpen, Link } from 'lucide-react'
import { type KeyboardEvent, memo, type ReactNode, useState } from 'react'
import type { FileEntry } from '#shared/contract/views.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { ChangeMark, changeInk } from '../state/change-mark.tsx'
import { DriftMark } from '../state/drift-mark.tsx'
import { useApp, useClient, useLoaded, useProjectId, useUpdateView } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { workspaceOf } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'
import { authorIn } from '../state/use-author-names.ts'
import { openFile } from '../state/view.ts'
import { AriaElement } from '../ui/aria-element.tsx'
import { classNames } from '../ui/class-names.ts'
import { focusAfterKey } from './tree-keys.ts'

const words = strings.files

/** The workspace's files; a folder is read when it is opened. */
export function FileTree(): ReactNode {
  return (
    <div role="tree" aria-label={words.tree} className="min-h-0 flex-1 overflow-auto pb-2" onKeyDown={moveFocus}>
      <Entries path={rootPath} level={1} />
    </div>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="treeitem"]')]
  const current = items.indexOf(document.activeElement as HTMLElement)
  const next = focusAfterKey(event.key, current, items.length)
  if (next === null) return
  event.preventDefault()
  items[next]?.focus()
}

function Entries({ path, level }: { path: VirtualPath; level: number }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const branchId = useApp(workspaceOf)
  const version = useApp((state) => (branchId ? state.timeline.versions.get(branchId) : 0))
  const [page, reload] = useLoaded(`${projectId} ${branchId} ${path} ${version}`, () =>
    client.files.list({ projectId, branchId, path }),
  )
  if (page.state === 'failed') return <RefusalNotice refusal={page.refusal} onRetry={reload} />
  if (!page.value) return <p className="px-3 text-muted">{strings.common.loading}</p>
  const entries = [...page.value.entries].sort(foldersFirst)
  return (
    <>
      {entries.map((entry, index) => (
        <Row key={entry.path} entry={entry} level={level} reachable={level === 1 && index === 0} />
      ))}
      {entries.length === 0 && <p className="px-3 text-muted">{words.empty}</p>}
      {page.value.unreadable > 0 && <p className="px-3 text-warn">{words.unreadable(page.value.unreadable)}</p>}
    </>
  )
}

function foldersFirst(a: FileEntry, b: FileEntry): number {
  const folders = Number(b.kind === 'directory') - Number(a.kind === 'directory')
  return folders || a.name.localeCompare(b.name)
}

interface RowProps {
  readonly entry: FileEntry
  readonly level: number
  readonly reachable: boolean
}

const Row = memo(function Row({ entry, level, reachable }: RowProps): ReactNode {
  const [open, setOpen] = useState(false)
  const updateView = useUpdateView()
  const isFolder = entry.kind === 'directory'
  const change = entry.change
  const drift = useApp((state) => {
    const branchId = workspaceOf(state)
    return branchId ? state.live.drifts.get(branchId)?.get(entry.path) : undefined
  })
  const author = useApp((state) => authorIn(state, workspaceOf(state), entry.path))
  const ink = change ? changeInk[change] : ''

  const activate = (): void => (isFolder ? setOpen(!open) : updateView((view) => openFile(view, entry.path)))
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' || event.key === ' ') activate()
    else if (isFolder && event.key === 'ArrowRight' && !open) setOpen(true)
    else if (isFolder && event.key === 'ArrowLeft' && open) setOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <>
      <div
        role="treeitem"
        aria-level={level}
        aria-expanded={isFolder ? open : undefined}
        aria-selected={false}
        tabIndex={reachable ? 0 : -1}
        onClick={activate}
        onKeyDown={onKeyDown}
        style={{ paddingLeft: level * 12 }}
        className="flex h-6 items-center gap-1 pr-3 [content-visibility:auto] hover:bg-hover"
      >
        <ChevronRight
          size={13}
          aria-hidden
          className={classNames('shrink-0 text-faint', !isFolder && 'invisible', open && 'rotate-90')}
        />
        <EntryIcon entry={entry} open={open} />
        <span className={classNames('truncate', ink, change === 'delete' && 'line-through')}>{entry.name}</span>
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
        {!change && entry.changedBelow && (
          <span title={words.changedBelow} className="ml-auto size-1.5 rounded-full bg-warn">
            <span className="sr-only">{words.changedBelow}</span>
          </span>
        )}
      </div>
      {open && (
        <AriaElement role="group">
          <Entries path={entry.path} level={level + 1} />
        </AriaElement>
      )}
    </>
  )
})

function EntryIcon({ entry, open }: { entry: FileEntry; open: boolean }): ReactNode {
  const Icon = entry.kind === 'symlink' ? Link : entry.kind === 'file' ? File : open ? FolderOpen : Folder
  return <Icon size={14} aria-hidden className="shrink-0 text-faint" />
}
