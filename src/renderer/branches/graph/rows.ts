import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'

/** A row of the tree, which is also a lane of the graph. */
export interface BranchRow {
  readonly branch: Branch
  /** Counts from 1. */
  readonly level: number
  readonly children: number
  /** Its position among its siblings, from 1. */
  readonly position: number
  readonly siblings: number
}

/**
 * The rows of the tree: each branch below the one it was forked from, oldest first. Branches below a folded one are
 * left out.
 */
export function branchRows(branches: readonly Branch[], folded: ReadonlySet<BranchId>): readonly BranchRow[] {
  const ids = new Set(branches.map(({ id }) => id))
  const below = Map.groupBy(branches, ({ parentId }) => (parentId !== null && ids.has(parentId) ? parentId : null))
  const rows: BranchRow[] = []
  const visit = (parentId: BranchId | null, level: number): void => {
    const siblings = below.get(parentId) ?? []
    siblings.forEach((branch, index) => {
      const children = below.get(branch.id)?.length ?? 0
      rows.push({ branch, level, children, position: index + 1, siblings: siblings.length })
      if (!folded.has(branch.id)) visit(branch.id, level + 1)
    })
  }
  visit(null, 1)
  return rows
}
