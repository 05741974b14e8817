import type { FileEntry, FilePage } from '#shared/contract/views.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Loaded } from '../state/hooks.tsx'
import type { Refusal } from '../state/refusal.ts'

/** One line of the tree: a file or folder, or what is to say of a folder that is open. */
export type TreeRow = EntryRow | NoteRow

export interface EntryRow {
  readonly kind: 'entry'
  readonly key: string
  readonly entry: FileEntry
  readonly level: number
  /** Among `siblings`, from one. */
  readonly position: number
  readonly siblings: number
  readonly open: boolean
}

export interface NoteRow {
  readonly kind: 'note'
  readonly key: string
  readonly level: number
  readonly folder: VirtualPath
  readonly note: Note
}

export type Note =
  | { readonly kind: 'loading' | 'empty' }
  | { readonly kind: 'unreadable'; readonly count: number }
  | { readonly kind: 'failed'; readonly refusal: Refusal }

export type Folders = ReadonlyMap<VirtualPath, Loaded<FilePage>>

/** What is in the folders that are open, from top to bottom. */
export function treeRows(folders: Folders, open: ReadonlySet<VirtualPath>): readonly TreeRow[] {
  const rows: TreeRow[] = []
  addFolder(rootPath, 1)
  return rows

  function addFolder(folder: VirtualPath, level: number): void {
    const loaded = folders.get(folder)
    const entries = loaded?.value?.entries ?? []
    entries.forEach((entry, index) => {
      const isOpen = open.has(entry.path)
      const place = { level, position: index + 1, siblings: entries.length, open: isOpen }
      rows.push({ kind: 'entry', key: entry.path, entry, ...place })
      if (isOpen && entry.kind === 'directory') addFolder(entry.path, level + 1)
    })
    for (const note of notesOf(loaded)) rows.push({ kind: 'note', key: `${note.kind} ${folder}`, level, folder, note })
  }
}

function notesOf(loaded: Loaded<FilePage> | undefined): readonly Note[] {
  if (loaded?.state === 'failed') return [{ kind: 'failed', refusal: loaded.refusal }]
  if (!loaded?.value) return [{ kind: 'loading' }]
  const { entries, unreadable } = loaded.value
  if (unreadable > 0) return [{ kind: 'unreadable', count: unreadable }]
  return entries.length === 0 ? [{ kind: 'empty' }] : []
}
