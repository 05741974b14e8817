import type { BranchId } from '#shared/model/ids.ts'
import type { GraphNode, Lanes } from './lanes.ts'

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

/** The index of the first node at or after a column. */
function firstFrom(nodes: readonly GraphNode[], column: number): number {
  let [low, high] = [0, nodes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((nodes[middle]?.column ?? 0) < column) low = middle + 1
    else high = middle
  }
  return low
}
