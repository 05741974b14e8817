import type { BranchId } from '#shared/model/ids.ts'
import type { BranchRow } from './rows.ts'

export type TreeStep =
  | { readonly kind: 'go'; readonly id: BranchId }
  | { readonly kind: 'fold'; readonly id: BranchId; readonly folded: boolean }

/** Where a key leads from a row of the tree, as in the tree pattern of ARIA's authoring practices. */
export function stepInTree(
  key: string,
  index: number,
  rows: readonly BranchRow[],
  folded: ReadonlySet<BranchId>,
): TreeStep | null {
  const row = rows[index]
  if (!row) return null
  const { id, parentId } = row.branch
  const go = (to: BranchRow | undefined): TreeStep | null => (to ? { kind: 'go', id: to.branch.id } : null)
  switch (key) {
    case 'ArrowDown':
      return go(rows[index + 1])
    case 'ArrowUp':
      return go(rows[index - 1])
    case 'Home':
      return go(rows[0])
    case 'End':
      return go(rows.at(-1))
    case 'ArrowRight':
      if (row.children === 0) return null
      return folded.has(id) ? { kind: 'fold', id, folded: false } : go(rows[index + 1])
    case 'ArrowLeft':
      if (row.children > 0 && !folded.has(id)) return { kind: 'fold', id, folded: true }
      return go(rows.find(({ branch }) => branch.id === parentId))
    default:
      return null
  }
}
