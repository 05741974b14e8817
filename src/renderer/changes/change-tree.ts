import type { FileChange } from '#shared/model/branch.ts'
import { isWithin, nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'

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
  /** True for a repository that agents made: it is one entry until somebody opens it. */
  readonly isRepository: boolean
}

export interface FileRow {
  readonly kind: 'file'
  readonly path: VirtualPath
  readonly name: string
  readonly level: number
  readonly change: FileChange
}

/** The files in the order of the tree. The same list as long as the changes are the same. */
export function filesInOrder(changes: readonly FileChange[]): readonly FileChange[] {
  return treeOf(changes).changes
}

/**
 * The rows of the tree, folders first. The content of closed folders is left out: of the folders in `turned`, and of the
 * repositories that are not in it, which begin closed.
 */
export function changeRows(
  changes: readonly FileChange[],
  turned: ReadonlySet<VirtualPath>,
  repositories: readonly VirtualPath[] = [],
): readonly ChangeRow[] {
  const rows: ChangeRow[] = []
  addRows(rows, treeOf(changes), 1, { turned, repositories })
  return rows
}

interface Look {
  readonly turned: ReadonlySet<VirtualPath>
  readonly repositories: readonly VirtualPath[]
}

interface Folder {
  readonly path: VirtualPath
  /** Sorted. A folder that holds only one folder is left out for that one. */
  readonly folders: readonly Folder[]
  /** The files in this folder, sorted. */
  readonly own: readonly FileChange[]
  /** All files in it and in its folders, in the order of their rows. */
  readonly changes: readonly FileChange[]
  readonly files: readonly VirtualPath[]
}

/** The trees of known lists. Several parts of a review need it, and the window makes it before the review opens. */
const trees = new WeakMap<readonly FileChange[], Folder>()

function treeOf(changes: readonly FileChange[]): Folder {
  const known = trees.get(changes)
  if (known) return known
  const tree = finished(foldersOf(changes))
  trees.set(changes, tree)
  trees.set(tree.changes, tree)
  return tree
}

interface OpenFolder {
  readonly path: VirtualPath
  readonly folders: OpenFolder[]
  readonly own: FileChange[]
}

function foldersOf(changes: readonly FileChange[]): OpenFolder {
  const root: OpenFolder = { path: rootPath, folders: [], own: [] }
  const byPath = new Map([[rootPath, root]])
  function folderAt(path: VirtualPath): OpenFolder {
    const known = byPath.get(path)
    if (known) return known
    const folder: OpenFolder = { path, folders: [], own: [] }
    byPath.set(path, folder)
    folderAt(parentOf(path)).folders.push(folder)
    return folder
  }
  for (const change of changes) folderAt(parentOf(change.path)).own.push(change)
  return root
}

function finished({ path, folders: open, own: files }: OpenFolder): Folder {
  const folders = open.map((folder) => finished(withoutLinks(folder))).sort(byPath)
  const own = files.sort(byPath)
  const changes = [...folders.flatMap((folder) => folder.changes), ...own]
  return { path, folders, own, changes, files: changes.map((change) => change.path) }
}

/** Follows a chain of folders that hold only one folder to its last folder. */
function withoutLinks(folder: OpenFolder): OpenFolder {
  const [only] = folder.folders
  return only && folder.folders.length === 1 && folder.own.length === 0 ? withoutLinks(only) : folder
}

function addRows(rows: ChangeRow[], folder: Folder, level: number, look: Look): void {
  for (const inner of folder.folders) {
    const { path, files } = inner
    const repository = firstRepository(folder.path, path, look.repositories)
    const row = repository ?? path
    const open = look.turned.has(row) === (repository !== undefined)
    const name = row.slice(folder.path === rootPath ? 1 : folder.path.length + 1)
    rows.push({ kind: 'folder', path: row, name, level, open, files, isRepository: repository !== undefined })
    // A repository has a row of its own, also where it holds only one folder.
    const below = row === path ? inner : { ...inner, path: row, folders: [inner], own: [] }
    if (open) addRows(rows, below, level + 1, look)
  }
  for (const change of folder.own) {
    rows.push({ kind: 'file', path: change.path, name: nameOf(change.path), level, change })
  }
}

/** The topmost repository below the one folder, and at or above the other. */
function firstRepository(above: VirtualPath, at: VirtualPath, repositories: readonly VirtualPath[]) {
  return repositories
    .filter((path) => path !== above && isWithin(path, above) && isWithin(at, path))
    .toSorted((a, b) => a.length - b.length)[0]
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1
}

export type Selected = 'all' | 'some' | 'none'

export function selectionOf(files: readonly VirtualPath[], selection: ReadonlySet<VirtualPath>): Selected {
  if (selection.size === 0) return 'none'
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
