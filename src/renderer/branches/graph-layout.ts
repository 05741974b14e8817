import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { BranchEvent, BranchEventKind } from '../state/timeline.ts'

export interface GraphNode {
  readonly id: string
  readonly branchId: BranchId
  readonly kind: BranchEventKind
  readonly at: number
  readonly paths: number
  /** Place in order, from 0: things that do not follow from each other may share one. */
  readonly column: number
  /** One lane per branch; the workspace is lane 0. */
  readonly lane: number
}

export interface GraphEdge {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly kind: 'lane' | 'fork' | 'merge'
}

export interface BranchGraphLayout {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

const intoParent: ReadonlySet<BranchEventKind> = new Set(['merge', 'force'])

/**
 * Branches as lanes; every event stands in the first column after what it follows from: the one before it on its own
 * lane and, for a fork or a merge, the parent's last. A merge enters the parent's lane as an event of its own.
 */
export function layoutGraph(
  branches: readonly Branch[],
  events: ReadonlyMap<BranchId, readonly BranchEvent[]>,
): BranchGraphLayout {
  const lanes = new Map(branches.map((branch, lane) => [branch.id, lane]))
  const all = branches
    .flatMap((branch) => (events.get(branch.id) ?? []).map((event) => ({ branch, event })))
    .sort((a, b) => a.event.sequence - b.event.sequence)
  const nodes: GraphNode[] = []
  const edges: GraphEdge[] = []
  const last = new Map<BranchId, GraphNode>()

  function place(branchId: BranchId, event: BranchEvent, column: number, suffix = ''): GraphNode {
    const { kind, at, paths, sequence } = event
    const lane = lanes.get(branchId) ?? 0
    const node = { id: `${branchId}-${sequence}${suffix}`, branchId, kind, at, paths, column, lane }
    const before = last.get(branchId)
    if (before) edges.push({ id: `${before.id}-${node.id}`, from: before.id, to: node.id, kind: 'lane' })
    last.set(branchId, node)
    nodes.push(node)
    return node
  }

  for (const { branch, event } of all) {
    const parentLast = branch.parentId ? last.get(branch.parentId) : undefined
    const joins = event.kind === 'fork' || intoParent.has(event.kind)
    const column = Math.max(last.get(branch.id)?.column ?? -1, joins ? (parentLast?.column ?? -1) : -1) + 1
    const node = place(branch.id, event, column)
    if (event.kind === 'fork' && parentLast) {
      edges.push({ id: `fork-${node.id}`, from: parentLast.id, to: node.id, kind: 'fork' })
    }
    if (intoParent.has(event.kind) && branch.parentId && lanes.has(branch.parentId)) {
      const target = place(branch.parentId, event, column, '-into')
      edges.push({ id: `merge-${node.id}`, from: node.id, to: target.id, kind: 'merge' })
    }
  }
  return { nodes, edges }
}
