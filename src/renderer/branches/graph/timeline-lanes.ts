import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Activity } from '../../state/store/timeline.ts'
import type { GraphNode } from './lanes.ts'
import { branchRows } from './rows.ts'
import type { Interval } from './time-scale.ts'

/** Pixels. */
export const laneHeight = 22

/** One line of the timeline: a branch, or many branches of one call folded into one. */
export interface TimelineLane {
  readonly branch: Branch
  /** The branches of a folded group, its first included; null for a lane of one branch. */
  readonly group: readonly Branch[] | null
  /** Names the call that started the group that the branch belongs to; null if it belongs to none. */
  readonly groupKey: string | null
  /** True for the first lane of an unfolded group. */
  readonly isGroupHead: boolean
}

/** With more lanes than this, the branches that one call started are folded into one. */
const lanesBeforeFolding = 20
const smallestGroup = 5

/** The lanes from top to bottom: each branch below the one it was forked from. */
export function timelineLanes(
  branches: readonly Branch[],
  threadOf: (id: ThreadId) => ThreadState | undefined,
  unfolded: ReadonlySet<string>,
): readonly TimelineLane[] {
  const rows = branchRows(branches, new Set()).map(({ branch }) => branch)
  const keyOf = ({ threadId }: Branch): string | null => {
    const parent = threadOf(threadId)?.parent
    return parent ? `${parent.threadId} ${parent.callId}` : null
  }
  const groups = Map.groupBy(rows, keyOf)
  const done = new Set<string>()
  return rows.flatMap((branch): TimelineLane[] => {
    const key = keyOf(branch)
    const group = key === null ? [] : (groups.get(key) ?? [])
    if (key === null || rows.length <= lanesBeforeFolding || group.length < smallestGroup) {
      return [{ branch, group: null, groupKey: null, isGroupHead: false }]
    }
    const isFirst = !done.has(key)
    done.add(key)
    if (unfolded.has(key)) return [{ branch, group: null, groupKey: key, isGroupHead: isFirst }]
    return isFirst ? [{ branch, group, groupKey: key, isGroupHead: true }] : []
  })
}

/**
 * The same lanes with the branches as they are now. Null if another branch came or went, so that the lanes must be made
 * anew. What decides the lanes of a branch never changes, since its thread begins in the same commit.
 */
export function keepLanes(
  lanes: readonly TimelineLane[],
  before: readonly Branch[],
  now: readonly Branch[],
): readonly TimelineLane[] | null {
  if (before.length !== now.length || before.some(({ id }, at) => id !== now[at]?.id)) return null
  const changed = new Map(now.filter((branch, at) => branch !== before[at]).map((branch) => [branch.id, branch]))
  const latest = (branch: Branch): Branch => changed.get(branch.id) ?? branch
  return lanes.map((lane) => {
    const isKept = !(lane.group ?? [lane.branch]).some(({ id }) => changed.has(id))
    return isKept ? lane : { ...lane, branch: latest(lane.branch), group: lane.group?.map(latest) ?? null }
  })
}

export interface Span extends Interval {
  readonly kind: Exclude<Activity['kind'], 'idle'>
}

/** The stretches in which an agent worked, waited for the person or was queued. The last one may go on until `now`. */
export function spansOf(activities: readonly Activity[], now: number): readonly Span[] {
  return activities.flatMap(({ at, kind }, index) => {
    if (kind === 'idle') return []
    return [{ kind, start: at, end: Math.max(activities[index + 1]?.at ?? now, at) }]
  })
}

/** The moments of all events, in no order. */
export function momentsOf(nodes: ReadonlyMap<BranchId, readonly GraphNode[]>): Float64Array<ArrayBuffer> {
  let count = 0
  for (const own of nodes.values()) count += own.length
  const moments = new Float64Array(count)
  for (const own of nodes.values()) for (const { event } of own) moments[--count] = event.at
  return moments
}
