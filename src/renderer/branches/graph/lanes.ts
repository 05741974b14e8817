import type { BranchId } from '#shared/model/ids.ts'
import type { BranchEvent, BranchEvents } from '../../state/store/branch-events.ts'

/** An event in its place: columns are order in time, and things that do not follow from each other may share one. */
export interface GraphNode {
  readonly branchId: BranchId
  readonly event: BranchEvent
  /** From 0. */
  readonly column: number
}

/** Names a node for as long as it stands. */
export function nodeKey({ branchId, event }: GraphNode): string {
  return `${branchId}-${event.id}-${event.kind}`
}

/** A line from one lane to another, down or up in one column. */
export interface GraphLink {
  readonly kind: 'fork' | 'merge'
  readonly from: BranchId
  readonly to: BranchId
  /** Where the line ends, to the right of where it begins; the same for a merge. */
  readonly endColumn: number
}

/** Where everything stands in time. It does not know in which order the lanes are shown. */
export interface Lanes {
  /** By branch; each in the order of columns. */
  readonly nodes: ReadonlyMap<BranchId, readonly GraphNode[]>
  /** By the column in which they cross lanes. */
  readonly links: readonly (readonly GraphLink[])[]
  readonly columns: number
  /** What was laid out already, to lay out only what came since. */
  readonly seen: ReadonlyMap<BranchId, readonly BranchEvent[]>
}

export const noLanes: Lanes = { nodes: new Map(), links: [], columns: 0, seen: new Map() }

interface Pending {
  readonly branchId: BranchId
  readonly event: BranchEvent
}

/**
 * Every event stands in the first column after what it follows from: the one before it on its own lane and, for a fork
 * or a merge, the last one on the other lane. Events only ever come at the end, so what stands stays where it is, and
 * laying out what came costs as much as it is. Anything else, another thread above all, is laid out anew.
 */
export function extendLanes(lanes: Lanes, branchIds: readonly BranchId[], events: BranchEvents): Lanes {
  const since = findNew(lanes, branchIds, events)
  return since ? place(lanes, since) : place(noLanes, findNew(noLanes, branchIds, events) ?? nothing)
}

interface Since {
  readonly grown: readonly Pending[]
  readonly pending: readonly Pending[]
  readonly seen: ReadonlyMap<BranchId, readonly BranchEvent[]>
}
const nothing: Since = { grown: [], pending: [], seen: new Map() }

function findNew(lanes: Lanes, branchIds: readonly BranchId[], events: BranchEvents): Since | undefined {
  const grown: Pending[] = []
  const pending: Pending[] = []
  const seen = new Map(lanes.seen)
  let known = 0
  for (const branchId of branchIds) {
    const now = events.get(branchId) ?? []
    const before = lanes.seen.get(branchId)
    if (before) known += 1
    if (now === before) continue
    seen.set(branchId, now)
    const count = before?.length ?? 0
    if (now.length < count || now[count - 1]?.id !== before?.[count - 1]?.id) return undefined
    const last = now[count - 1]
    if (last && last !== before?.[count - 1]) grown.push({ branchId, event: last })
    for (const event of now.slice(count)) pending.push({ branchId, event })
  }
  if (known !== lanes.seen.size) return undefined
  pending.sort((a, b) => a.event.id - b.event.id || order(a) - order(b))
  return { grown, pending, seen }
}

/** A merge is laid out with the branch that was merged first, and then with the one that took it. */
function order({ event }: Pending): number {
  return event.kind === 'taken' ? 1 : 0
}

function place(lanes: Lanes, { grown, pending, seen }: Since): Lanes {
  if (grown.length + pending.length === 0) return seen.size === lanes.seen.size ? lanes : { ...lanes, seen }
  const nodes = new Map(lanes.nodes)
  const links = [...lanes.links]
  let { columns } = lanes
  const lastColumn = (branchId: BranchId | null): number =>
    (branchId === null ? undefined : nodes.get(branchId)?.at(-1)?.column) ?? -1

  for (const { branchId, event } of grown) {
    const own = nodes.get(branchId) ?? []
    const index = own.findLastIndex((node) => node.event.id === event.id)
    const node = own[index]
    if (node) nodes.set(branchId, own.with(index, { ...node, event }))
  }
  for (const { branchId, event } of pending) {
    const { kind, other } = event
    const joins = kind === 'fork' || kind === 'merge' || kind === 'force'
    const beside = lastColumn(other)
    const column =
      kind === 'taken'
        ? Math.max(lastColumn(branchId) + 1, beside)
        : Math.max(lastColumn(branchId), joins ? beside : -1) + 1
    if (other !== null && nodes.has(other) && kind === 'fork') {
      addLink(links, Math.max(beside, 0), { kind: 'fork', from: other, to: branchId, endColumn: column })
    }
    if (other !== null && kind === 'taken') {
      addLink(links, column, { kind: 'merge', from: other, to: branchId, endColumn: column })
    }
    nodes.set(branchId, [...(nodes.get(branchId) ?? []), { branchId, event, column }])
    columns = Math.max(columns, column + 1)
  }
  return { nodes, links, columns, seen }
}

function addLink(links: (readonly GraphLink[])[], column: number, link: GraphLink): void {
  while (links.length <= column) links.push([])
  links[column] = [...(links[column] ?? []), link]
}
