import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useState } from 'react'
import { type Components, Virtuoso } from 'react-virtuoso'
import type { FileEntry } from '#shared/contract/views/files.ts'
import { isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useQueries } from '../state/hooks/use-query.ts'
import { workspaceOf } from '../state/store/selectors.ts'
import { openFile } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import { useVirtualRows } from '../ui/react/use-virtual-rows.ts'
import { FileRow } from './file-row.tsx'
import { type Folders, type NoteRow, stepAfterKey, type TreeRow, treeRows } from './tree-rows.ts'

const labels = strings.files

interface Shown {
  readonly hasEntries: boolean
}

const parts: Components<TreeRow, Shown> = {
  // WAI-ARIA: a tree has at least one tree item. One that loads, or whose folder is empty, has only a note.
  List: ({ ref, context: { hasEntries }, ...props }) => (
    <AriaElement {...props} ref={ref ?? null} role={hasEntries ? 'tree' : 'group'} aria-label={labels.tree} />
  ),
  Item: ({ item: _item, context: _context, ...props }) => <AriaElement {...props} role="presentation" />,
  Footer: () => <div className="h-2" />,
}

/** The workspace's files. A folder is read when it opens, and only visible rows are rendered. */
export function FileTree(): ReactNode {
  const [open, setOpen] = useState<ReadonlySet<VirtualPath>>(new Set())
  const [reached, setReached] = useState<string | null>(null)
  const [folders, readAgain] = useFolders(open)
  const rows = useMemo(() => treeRows(folders, open), [folders, open])
  const at = Math.max(findReached(rows, reached), 0)
  const { list, box, focusRow, rangeChanged, stop } = useVirtualRows(at)
  const updateUi = useUpdateUi()
  const toggle = useCallback((path: VirtualPath) => setOpen((before) => toggleFolder(before, path)), [])
  const activate = useCallback(
    ({ kind, path }: FileEntry) => (kind === 'directory' ? toggle(path) : updateUi((ui) => openFile(ui, path))),
    [toggle, updateUi],
  )

  function onKeyDown(event: KeyboardEvent): void {
    const step = stepAfterKey(event.key, at, rows)
    if (!step) return
    event.preventDefault()
    if (step.kind === 'toggle') toggle(step.path)
    else {
      setReached(rows[step.index]?.key ?? null)
      focusRow(step.index)
    }
  }

  const root = folders.get(rootPath)
  if (root?.state === 'failed') return <RefusalNotice refusal={root.refusal} onRetry={() => readAgain(rootPath)} />
  return (
    <AriaElement role="presentation" ref={box} {...stop} onKeyDown={onKeyDown} className="min-h-0 flex-1 outline-none">
      <Virtuoso
        ref={list}
        data={rows}
        tabIndex={-1}
        className="h-full"
        context={{ hasEntries: rows.some(({ kind }) => kind === 'entry') }}
        components={parts}
        computeItemKey={(_, row) => row.key}
        rangeChanged={rangeChanged}
        increaseViewportBy={200}
        itemContent={(index, row) =>
          row.kind === 'note' ? (
            <FolderNote row={row} onRetry={readAgain} />
          ) : (
            <AriaElement role="presentation" onFocus={() => setReached(row.key)}>
              <FileRow row={row} index={index} reached={index === at} onActivate={activate} />
            </AriaElement>
          )
        }
      />
    </AriaElement>
  )
}

/** The index of the row that Tab leads to: the row focused last, or the first one. */
function findReached(rows: readonly TreeRow[], reached: string | null): number {
  const last = reached === null ? -1 : rows.findIndex(({ key }) => key === reached)
  return last >= 0 ? last : rows.findIndex(({ kind }) => kind === 'entry')
}

/** Opens or closes a folder. Closing it closes all folders in it. */
function toggleFolder(open: ReadonlySet<VirtualPath>, folder: VirtualPath): ReadonlySet<VirtualPath> {
  if (!open.has(folder)) return new Set([...open, folder])
  return new Set([...open].filter((path) => !isWithin(path, folder)))
}

function FolderNote({ row, onRetry }: { row: NoteRow; onRetry: (folder: VirtualPath) => void }): ReactNode {
  const { note, folder, level } = row
  const indent = { paddingLeft: level * 12 }
  switch (note.kind) {
    case 'loading':
      return (
        <div style={indent} className="text-muted">
          {strings.common.loading}
        </div>
      )
    case 'empty':
      return (
        <div style={indent} className="text-muted">
          {labels.empty}
        </div>
      )
    case 'unreadable':
      return (
        <div style={indent} className="text-warn">
          {labels.unreadable(note.count)}
        </div>
      )
    case 'failed':
      return <RefusalNotice refusal={note.refusal} onRetry={() => onRetry(folder)} />
  }
}

/**
 * The root and every open folder. A folder is read when it opens and again when the workspace has changed; its last
 * content stays on screen meanwhile. The returned function reads one folder again.
 */
function useFolders(open: ReadonlySet<VirtualPath>): readonly [Folders, (folder: VirtualPath) => void] {
  const projectId = useProjectId()
  const branchId = useApp(workspaceOf)
  const version = useApp((state) => (branchId ? state.timeline.versions.get(branchId) : 0))
  const paths = useMemo(() => [rootPath, ...open], [open])
  const inputOf = (path: VirtualPath) => ({ projectId, branchId, path })
  const [pages, reload] = useQueries('files.list', paths.map(inputOf), version)
  const folders = useMemo(() => new Map(pages.map((page, place) => [paths[place] ?? rootPath, page])), [paths, pages])
  return [folders, (folder) => reload(inputOf(folder))]
}
