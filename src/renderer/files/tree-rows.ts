import type { FileEntry, FilePage } from '#shared/contract/views/files.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Loaded } from '../state/connection/query-cache.ts'
import type { Refusal } from '../state/connection/refusal.ts'

/** A row of the tree: a file, a folder, or a note about an open folder. */
export type TreeRow = EntryRow | NoteRow

export interface EntryRow {
  readonly kind: 'entry'
  readonly key: string
  readonly entry: FileEntry
  readonly level: number
  /** Its position among its siblings, from 1. */
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

type Note =
  | { readonly kind: 'loading' | 'empty' }
  | { readonly kind: 'unreadable'; readonly count: number }
  | { readonly kind: 'failed'; readonly refusal: Refusal }

export type Folders = ReadonlyMap<VirtualPath, Loaded<FilePage>>

/** The rows of the tree, from top to bottom. */
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

type TreeStep =
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'toggle'; readonly path: VirtualPath }

/**
 * The effect of a key on a row, by the tree pattern of the ARIA Authoring Practices; null for none. Notes are
 * skipped.
 */
export function stepAfterKey(key: string, at: number, rows: readonly TreeRow[]): TreeStep | null {
  const row = rows[at]
  const go = (index: number): TreeStep | null => (index < 0 ? null : { kind: 'go', index })
  switch (key) {
    case 'ArrowDown':
      return go(rows.findIndex(({ kind }, index) => index > at && kind === 'entry'))
    case 'ArrowUp':
      return go(rows.findLastIndex(({ kind }, index) => index < at && kind === 'entry'))
    case 'Home':
      return go(rows.findIndex(({ kind }) => kind === 'entry'))
    case 'End':
      return go(rows.findLastIndex(({ kind }) => kind === 'entry'))
    case 'ArrowRight': {
      if (row?.kind !== 'entry' || row.entry.kind !== 'directory') return null
      if (!row.open) return { kind: 'toggle', path: row.entry.path }
      const next = rows[at + 1]
      return next?.kind === 'entry' && next.level > row.level ? go(at + 1) : null
    }
    case 'ArrowLeft': {
      if (row?.kind === 'entry' && row.open) return { kind: 'toggle', path: row.entry.path }
      return go(rows.findLastIndex(({ level }, index) => index < at && level < (row?.level ?? 0)))
    }
    default:
      return null
  }
}
