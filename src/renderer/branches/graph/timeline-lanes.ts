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

/** Everything that the time scale must show: all stretches, and a moment around each event. */
export function busyTimes(
  spans: Iterable<readonly Span[]>,
  nodes: ReadonlyMap<BranchId, readonly GraphNode[]>,
): readonly Interval[] {
  const all: Interval[] = []
  for (const own of spans) all.push(...own)
  for (const own of nodes.values()) for (const { event } of own) all.push({ start: event.at, end: event.at })
  return all
}
