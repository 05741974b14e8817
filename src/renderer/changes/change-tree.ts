import type { FileChange } from '#shared/model/branch.ts'
import { nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'

/** A row of the tree of changes. A folder that holds only one folder shares its row with it. */
export type ChangeRow = FolderRow | FileRow

export interface FolderRow {
  readonly kind: 'folder'
  readonly path: VirtualPath
  /** The path relative to the row above: `src/renderer`. */
  readonly name: string
  readonly level: number
  readonly open: boolean
  readonly files: readonly VirtualPath[]
}

export interface FileRow {
  readonly kind: 'file'
  readonly path: VirtualPath
  readonly name: string
  readonly level: number
  readonly change: FileChange
}

/** The files in the order of the tree. */
export function filesInOrder(changes: readonly FileChange[]): readonly FileChange[] {
  return changeRows(changes, new Set()).flatMap((row) => (row.kind === 'file' ? [row.change] : []))
}

interface Folder {
  readonly path: VirtualPath
  readonly folders: Map<string, Folder>
  readonly changes: FileChange[]
}

/** The rows of the tree, folders first. The content of closed folders is left out. */
export function changeRows(changes: readonly FileChange[], closed: ReadonlySet<VirtualPath>): readonly ChangeRow[] {
  const root = emptyFolder(rootPath)
  for (const change of changes) folderAt(root, parentOf(change.path)).changes.push(change)
  return rowsIn(root, 1, closed)
}

function emptyFolder(path: VirtualPath): Folder {
  return { path, folders: new Map(), changes: [] }
}

function folderAt(root: Folder, path: VirtualPath): Folder {
  if (path === rootPath) return root
  const parent = folderAt(root, parentOf(path))
  const folder = parent.folders.get(path) ?? emptyFolder(path)
  parent.folders.set(path, folder)
  return folder
}

function rowsIn(folder: Folder, level: number, closed: ReadonlySet<VirtualPath>): readonly ChangeRow[] {
  const folders = [...folder.folders.values()].map(withoutLinks).sort(byPath)
  return [
    ...folders.flatMap((inner): readonly ChangeRow[] => {
      const open = !closed.has(inner.path)
      const name = inner.path.slice(folder.path === rootPath ? 1 : folder.path.length + 1)
      const row: FolderRow = { kind: 'folder', path: inner.path, name, level, open, files: filesIn(inner) }
      return [row, ...(open ? rowsIn(inner, level + 1, closed) : [])]
    }),
    ...folder.changes
      .toSorted(byPath)
      .map((change): FileRow => ({ kind: 'file', path: change.path, name: nameOf(change.path), level, change })),
  ]
}

/** Follows a chain of folders that hold only one folder to its last folder. */
function withoutLinks(folder: Folder): Folder {
  const [only] = folder.folders.values()
  return only && folder.folders.size === 1 && folder.changes.length === 0 ? withoutLinks(only) : folder
}

function filesIn(folder: Folder): readonly VirtualPath[] {
  return [...[...folder.folders.values()].flatMap(filesIn), ...folder.changes.map(({ path }) => path)]
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1
}

export type Selected = 'all' | 'some' | 'none'

export function selectionOf(files: readonly VirtualPath[], selection: ReadonlySet<VirtualPath>): Selected {
  const chosen = files.filter((path) => selection.has(path)).length
  if (chosen === 0) return 'none'
  return chosen === files.length ? 'all' : 'some'
}

/** Adds all files to the selection, or removes them if all of them are in it. */
export function toggleAll(
  files: readonly VirtualPath[],
  selection: ReadonlySet<VirtualPath>,
): ReadonlySet<VirtualPath> {
  const next = new Set(selection)
  const drop = selectionOf(files, selection) === 'all'
  for (const path of files) {
    if (drop) next.delete(path)
    else next.add(path)
  }
  return next
}

export type TreeMove =
  | { readonly kind: 'focus'; readonly index: number }
  | { readonly kind: 'close' | 'open'; readonly path: VirtualPath }
  | { readonly kind: 'toggle'; readonly files: readonly VirtualPath[] }

/** The effect of a key on a row of the tree; null for a key that the tree does not use. */
export function treeMove(key: string, rows: readonly ChangeRow[], index: number): TreeMove | null {
  const row = rows[index]
  if (!row) return null
  switch (key) {
    case 'ArrowDown':
      return focus(rows, index + 1)
    case 'ArrowUp':
      return focus(rows, index - 1)
    case 'Home':
      return focus(rows, 0)
    case 'End':
      return focus(rows, rows.length - 1)
    case ']':
      return nextFile(rows, index, 1)
    case '[':
      return nextFile(rows, index, -1)
    case 'ArrowRight':
      if (row.kind === 'file') return null
      return row.open ? focus(rows, index + 1) : { kind: 'open', path: row.path }
    case 'ArrowLeft':
      return row.kind === 'folder' && row.open ? { kind: 'close', path: row.path } : toParent(rows, index, row)
    case ' ':
      return { kind: 'toggle', files: row.kind === 'file' ? [row.path] : row.files }
    default:
      return null
  }
}

function focus(rows: readonly ChangeRow[], index: number): TreeMove | null {
  return rows[index] ? { kind: 'focus', index } : null
}

function nextFile(rows: readonly ChangeRow[], index: number, by: 1 | -1): TreeMove | null {
  for (let at = index + by; rows[at]; at += by) if (rows[at]?.kind === 'file') return { kind: 'focus', index: at }
  return null
}

function toParent(rows: readonly ChangeRow[], index: number, row: ChangeRow): TreeMove | null {
  const parent = rows.slice(0, index).findLastIndex(({ level }) => level < row.level)
  return parent < 0 ? null : { kind: 'focus', index: parent }
}
