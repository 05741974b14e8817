import { ChevronDown, ChevronRight, Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchChecks, CheckState } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { formatClock, formatTime } from '#shared/text/format.ts'
import { AgentMark } from '../../parts/agents/agent-mark.tsx'
import { CheckMark } from '../../parts/checks/check-mark.tsx'
import { useApp, useSession } from '../../state/hooks/hooks.tsx'
import type { AppState } from '../../state/store/app-state.ts'
import { isRunning } from '../../state/store/selectors.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { useMedia, useNow } from '../../ui/react/observers.ts'
import { troubleText } from '../list/conflict-words.ts'
import type { WorkItem } from '../list/work-list.ts'
import { axisTicks, needsSeconds } from './axis.ts'
import { BranchGraph } from './branch-graph.tsx'
import { extendLanes, type GraphNode, type Lanes, noLanes } from './lanes.ts'
import { createTimeScale } from './time-scale.ts'
import {
  keepLanes,
  laneHeight,
  momentsOf,
  type Span,
  spansOf,
  type TimelineLane,
  timelineLanes,
} from './timeline-lanes.ts'
import { timelinePadding, useTimelineView } from './use-timeline-view.ts'

const labels = strings.timeline
/** Widths in pixels of the names beside the lanes. */
const [wideNames, narrowNames] = [168, 116]
const noSpans: readonly Span[] = []

interface BranchMapProps {
  readonly branches: readonly Branch[]
  readonly items: readonly WorkItem[]
  /** Empty when the project has no checks. */
  readonly checks: ReadonlyMap<BranchId, BranchChecks>
  readonly selected: Branch | null
  readonly chosen: GraphNode | null
  readonly onChoose: (node: GraphNode) => void
  readonly onReach: (node: GraphNode) => void
}

/** All branches over time: a lane for each agent. The list of branches has the same content as a tree. */
export function BranchMap({ branches, items, checks, selected, chosen, onChoose, onReach }: BranchMapProps): ReactNode {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const activities = useApp(({ timeline }) => timeline.activities)
  const running = useApp(({ project }) => hasRunning(branches, project.threads))
  const now = useNow(running)
  const nodes = useLanes(branches)
  const lanes = useTimelineLanes(branches, unfolded)
  const spans = useMemo(
    () => new Map(branches.map(({ id, threadId }) => [id, spansOf(activities.get(threadId) ?? [], now)])),
    [branches, activities, now],
  )
  const scale = useMemo(() => createTimeScale([...spans.values()].flat(), momentsOf(nodes.nodes)), [spans, nodes])
  const gutter = useMedia('(min-width: 760px)') ? wideNames : narrowNames
  const timeline = useTimelineView(gutter)
  const byBranch = useMemo(() => new Map(items.map((item) => [item.branch.id, item])), [items])
  const { box, view, contentWidth } = timeline
  const height = lanes.length * laneHeight
  const firstRow = Math.max(Math.floor(view.top / laneHeight) - 1, 0)
  const lastRow = Math.min(Math.ceil((view.top + view.height) / laneHeight), lanes.length - 1)
  function toggle(key: string): void {
    setUnfolded((now) => (now.has(key) ? new Set([...now].filter((one) => one !== key)) : new Set([...now, key])))
  }
  return (
    <>
      <div className="flex h-8 shrink-0 items-center gap-1 border-line border-b bg-panel px-2">
        <h2 className="mr-auto font-semibold text-xs">{labels.title}</h2>
        {running && (
          <Button tone="quiet" aria-pressed={timeline.follows} onClick={timeline.follow}>
            {labels.follow}
          </Button>
        )}
        <IconButton label={labels.zoomOut} disabled={timeline.fits} onClick={() => timeline.zoom(1 / 1.5)}>
          <ZoomOut size={14} aria-hidden />
        </IconButton>
        <IconButton label={labels.zoomIn} onClick={() => timeline.zoom(1.5)}>
          <ZoomIn size={14} aria-hidden />
        </IconButton>
        <IconButton label={labels.fit} disabled={timeline.fits} onClick={timeline.fit}>
          <Maximize2 size={14} aria-hidden />
        </IconButton>
      </div>
      <TimeAxis
        gutter={gutter}
        width={view.width - gutter}
        timeAt={(place) => scale.timeAt(((place + view.left - timelinePadding) / contentWidth) * scale.length)}
        placeOf={(time) => timelinePadding + (scale.at(time) / scale.length) * contentWidth - view.left}
      />
      <div ref={box} className="min-h-0 flex-1 overflow-auto bg-canvas">
        <div
          style={{ width: gutter + contentWidth + 2 * timelinePadding, height: Math.max(height, view.height) }}
          className="relative min-w-full overflow-clip"
        >
          <div style={{ width: gutter }} className="sticky left-0 z-10 h-full border-line border-r bg-canvas">
            {lanes.slice(firstRow, lastRow + 1).map((lane, index) => (
              <LaneName
                key={lane.branch.id}
                lane={lane}
                item={byBranch.get(lane.branch.id)}
                checks={lane.group ? null : (checks.get(lane.branch.id)?.state ?? null)}
                top={(firstRow + index) * laneHeight}
                isSelected={lane.branch.id === selected?.id}
                onToggle={toggle}
              />
            ))}
          </div>
          <BranchGraph
            nodes={nodes}
            lanes={lanes}
            items={byBranch}
            spansOf={(id) => spans.get(id) ?? noSpans}
            placeOf={(time) => timelinePadding + (scale.at(time) / scale.length) * contentWidth}
            cuts={scale.cuts.map((cut) => timelinePadding + (cut / scale.length) * contentWidth)}
            view={view}
            gutter={gutter}
            selected={selected}
            chosen={chosen}
            onChoose={onChoose}
            onReach={onReach}
          />
        </div>
      </div>
    </>
  )
}

interface TimeAxisProps {
  readonly gutter: number
  readonly width: number
  readonly timeAt: (place: number) => number
  readonly placeOf: (time: number) => number
}

/** The time of day above the lanes. Each event says its own time, so screen readers skip this. */
function TimeAxis({ gutter, ...options }: TimeAxisProps): ReactNode {
  const ticks = options.width > 0 ? axisTicks(options) : []
  const format = needsSeconds(ticks) ? formatClock : formatTime
  return (
    <div
      aria-hidden
      data-axis
      className="relative h-4 shrink-0 overflow-hidden border-line border-b bg-canvas text-2xs text-muted tabular-nums"
    >
      {ticks.map(({ time, place }) => (
        <span
          key={time}
          style={{ left: gutter + place }}
          className="absolute inset-y-0 whitespace-nowrap border-line-strong border-l pl-1"
        >
          {format(time)}
        </span>
      ))}
    </div>
  )
}

interface LaneNameProps {
  readonly lane: TimelineLane
  /** Undefined for the workspace. */
  readonly item: WorkItem | undefined
  /** Null for several branches in one lane, and without checks. */
  readonly checks: CheckState | null
  readonly top: number
  readonly isSelected: boolean
  readonly onToggle: (key: string) => void
}

function LaneName({ lane, item, checks, top, isSelected, onToggle }: LaneNameProps): ReactNode {
  const { branch, group, groupKey, isGroupHead } = lane
  const name = branch.parentId === null ? strings.branches.workspace : branch.name
  const trouble = useApp((app) => (item && !group ? troubleText(app, item) : ''))
  const Fold = group ? ChevronRight : ChevronDown
  return (
    <div
      title={trouble === '' ? undefined : `${name}: ${trouble}`}
      style={{ top, height: laneHeight }}
      className={`absolute inset-x-0 flex items-center gap-1 px-2 text-xs ${isSelected ? 'bg-accent-soft' : ''}`}
    >
      {isGroupHead && groupKey !== null && (
        <IconButton
          label={group ? labels.unfold(group.length) : labels.fold}
          aria-expanded={!group}
          className="size-5!"
          onClick={() => onToggle(groupKey)}
        >
          <Fold size={12} aria-hidden />
        </IconButton>
      )}
      <span aria-hidden className="flex min-w-0 items-center gap-1.5">
        {!group && <AgentMark name={branch.parentId === null ? '' : name} />}
        <span className="truncate">{group ? labels.group(group.length) : <VisibleText text={name} />}</span>
      </span>
      {checks && checks !== 'none' && (
        <span aria-hidden className="ml-auto flex">
          <CheckMark state={checks} short />
        </span>
      )}
    </div>
  )
}

function hasRunning(branches: readonly Branch[], threads: AppState['project']['threads']): boolean {
  return branches.some(({ threadId }) => {
    const thread = threads.get(threadId)
    return thread !== undefined && isRunning(thread)
  })
}

function useTimelineLanes(branches: readonly Branch[], unfolded: ReadonlySet<string>): readonly TimelineLane[] {
  const { store } = useSession()
  const last = useRef({ branches, unfolded, lanes: null as readonly TimelineLane[] | null })
  const lanes = useMemo(() => {
    const known = last.current
    const kept = known.lanes && known.unfolded === unfolded && keepLanes(known.lanes, known.branches, branches)
    // Lanes need only the parents of threads, which never change.
    const { threads } = store.getState().project
    return kept || timelineLanes(branches, (id) => threads.get(id), unfolded)
  }, [branches, store, unfolded])
  useEffect(() => {
    last.current = { branches, unfolded, lanes }
  }, [branches, unfolded, lanes])
  return lanes
}

/** The events of each branch. Each render adds only the new ones. */
function useLanes(branches: readonly Branch[]): Lanes {
  const events = useApp((state) => state.timeline.branches)
  const last = useRef(noLanes)
  const ids = useMemo(() => branches.map(({ id }) => id), [branches])
  const lanes = useMemo(() => extendLanes(last.current, ids, events), [ids, events])
  useEffect(() => {
    last.current = lanes
  }, [lanes])
  return lanes
}
