import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { AgentMark } from '../../parts/agent-mark.tsx'
import { useApp } from '../../state/hooks/hooks.tsx'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { useMedia } from '../../ui/react/observers.ts'
import { BranchGraph } from './branch-graph.tsx'
import { extendLanes, type GraphNode, type Lanes, noLanes } from './lanes.ts'
import { branchRows } from './rows.ts'
import { useViewport } from './use-viewport.ts'
import { columnWidth, rowHeight } from './visible.ts'

const labels = strings.branches
const noneFolded: ReadonlySet<BranchId> = new Set()
/** Widths in pixels of the names beside the graph. */
const [wideNames, narrowNames] = [176, 96]

interface BranchMapProps {
  readonly branches: readonly Branch[]
  readonly selected: BranchId | null
  readonly chosen: GraphNode | null
  readonly onChoose: (node: GraphNode) => void
  readonly onReach: (node: GraphNode) => void
}

/** All branches over time, each on a lane of its own beside its name. */
export function BranchMap({ branches, selected, chosen, onChoose, onReach }: BranchMapProps): ReactNode {
  const lanes = useLanes(branches)
  const rows = useMemo(() => branchRows(branches, noneFolded).map(({ branch }) => branch), [branches])
  const order = useMemo(() => rows.map(({ id }) => id), [rows])
  const names = useMemo(
    () => new Map(branches.map(({ id, name, parentId }) => [id, parentId === null ? labels.workspace : name])),
    [branches],
  )
  const gutter = useMedia('(min-width: 760px)') ? wideNames : narrowNames
  const width = lanes.columns * columnWidth
  const { box, window } = useViewport(gutter, width, order.length * rowHeight)
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-auto bg-canvas">
      <div style={{ width: gutter + width, height: order.length * rowHeight }} className="relative min-w-full">
        <div
          aria-hidden
          style={{ width: gutter }}
          className="sticky left-0 z-10 h-full overflow-hidden border-line border-r bg-canvas"
        >
          {rows.slice(window.firstRow, window.lastRow + 1).map(({ id, parentId }, index) => (
            <span
              key={id}
              style={{ top: (window.firstRow + index) * rowHeight, height: rowHeight }}
              className="absolute inset-x-0 flex items-center gap-1.5 border-line border-b px-2 text-xs"
            >
              <AgentMark name={parentId === null ? '' : (names.get(id) ?? '')} />
              <span className="truncate">
                <VisibleText text={names.get(id) ?? ''} />
              </span>
            </span>
          ))}
        </div>
        <div style={{ left: gutter }} className="absolute inset-y-0 right-0">
          <BranchGraph
            lanes={lanes}
            rows={order}
            names={names}
            window={window}
            selected={selected}
            chosen={chosen}
            onChoose={onChoose}
            onReach={onReach}
          />
        </div>
      </div>
    </div>
  )
}

/** The layout of the graph. Each render adds only the new events to it. */
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
