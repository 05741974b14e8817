import type { BranchId } from '#shared/model/ids.ts'
import type { GraphNode, Lanes } from './lanes.ts'
import type { BranchRow } from './rows.ts'
import { firstFrom } from './visible.ts'

/** The node that a key leads to: the next on the branch, or the nearest on the branch above or below. Null for none. */
export function stepInGraph(key: string, node: GraphNode, lanes: Lanes, rows: readonly BranchId[]): GraphNode | null {
  const own = lanes.nodes.get(node.branchId) ?? []
  const index = firstFrom(own, node.column)
  switch (key) {
    case 'ArrowRight':
      return own[index + 1] ?? null
    case 'ArrowLeft':
      return own[index - 1] ?? null
    case 'Home':
      return own[0] ?? null
    case 'End':
      return own.at(-1) ?? null
    case 'ArrowDown':
    case 'ArrowUp': {
      const row = rows.indexOf(node.branchId) + (key === 'ArrowDown' ? 1 : -1)
      const beside = rows[row]
      return beside === undefined ? null : nearest(lanes.nodes.get(beside) ?? [], node.column)
    }
    default:
      return null
  }
}

function nearest(nodes: readonly GraphNode[], column: number): GraphNode | null {
  const index = firstFrom(nodes, column)
  const [before, after] = [nodes[index - 1], nodes[index]]
  if (!before || !after) return before ?? after ?? null
  return column - before.column < after.column - column ? before : after
}

type TreeStep =
  | { readonly kind: 'go'; readonly id: BranchId }
  | { readonly kind: 'fold'; readonly id: BranchId; readonly folded: boolean }

/** The effect of a key on a row of the tree, by the tree pattern of the ARIA Authoring Practices. Null for none. */
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
