import type { BranchId } from '#shared/model/ids.ts'
import type { BranchEvent, BranchEvents } from '../../state/store/branch-events.ts'

/** An event with its column. Columns are ordered in time; events that do not depend on each other may share one. */
export interface GraphNode {
  readonly branchId: BranchId
  readonly event: BranchEvent
  /** Counts from 0. */
  readonly column: number
}

/** A key that stays the same as long as the node exists. */
export function nodeKey({ branchId, event }: GraphNode): string {
  return `${branchId}-${event.id}-${event.kind}`
}

/** The layout of all events in columns. The order of the lanes is decided elsewhere. */
export interface Lanes {
  /** The nodes of each branch, in column order. */
  readonly nodes: ReadonlyMap<BranchId, readonly GraphNode[]>
  readonly columns: number
  /** The events that already have their place. */
  readonly seen: ReadonlyMap<BranchId, readonly BranchEvent[]>
}

export const noLanes: Lanes = { nodes: new Map(), columns: 0, seen: new Map() }

interface Pending {
  readonly branchId: BranchId
  readonly event: BranchEvent
}

/**
 * Adds new events to the layout. An event goes into the first free column after the events it follows: the one before
 * it on its lane and, for a fork or a merge, the last one on the other lane. Events are only ever appended, so
 * existing nodes never move, and the cost depends only on the new events. Any other difference, such as another
 * thread, starts a new layout.
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

/** Places a merge on the merged branch first, then on the branch it was merged into. */
function order({ event }: Pending): number {
  return event.kind === 'taken' ? 1 : 0
}

function place(lanes: Lanes, { grown, pending, seen }: Since): Lanes {
  if (grown.length + pending.length === 0) return seen.size === lanes.seen.size ? lanes : { ...lanes, seen }
  const nodes = new Map(lanes.nodes)
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
    nodes.set(branchId, [...(nodes.get(branchId) ?? []), { branchId, event, column }])
    columns = Math.max(columns, column + 1)
  }
  return { nodes, columns, seen }
}
