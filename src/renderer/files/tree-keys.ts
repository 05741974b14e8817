import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { TreeRow } from './tree-rows.ts'

export type TreeStep =
  | { readonly kind: 'go'; readonly index: number }
  | { readonly kind: 'toggle'; readonly path: VirtualPath }

/**
 * Where a key leads from a row, as in the tree pattern of ARIA's authoring practices; null when it is not for moving, or
 * leads nowhere. Notes are passed over.
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
