import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { strings } from '../../strings/strings.ts'
import { useMedia } from '../../ui/react/observers.ts'
import { BranchGraph } from './branch-graph.tsx'
import { BranchTree } from './branch-tree.tsx'
import { extendLanes, type GraphNode, type Lanes, noLanes } from './lanes.ts'
import { branchRows } from './rows.ts'
import { useViewport } from './use-viewport.ts'
import { columnWidth, rowHeight } from './visible.ts'

const labels = strings.branches
/** Widths in pixels of the tree beside the graph. */
const wideTree = 272
const narrowTree = 148

interface BranchMapProps {
  readonly branches: readonly Branch[]
  readonly selected: BranchId | null
  readonly onSelect: (id: BranchId) => void
  readonly chosen: GraphNode | null
  readonly onChoose: (node: GraphNode) => void
  readonly onReach: (node: GraphNode) => void
}

/** All branches: a tree of names, with each branch's lane of the graph beside its row. */
export function BranchMap({ branches, selected, onSelect, chosen, onChoose, onReach }: BranchMapProps): ReactNode {
  const [folded, setFolded] = useState<ReadonlySet<BranchId>>(new Set())
  const lanes = useLanes(branches)
  const rows = useMemo(() => branchRows(branches, folded), [branches, folded])
  const order = useMemo(() => rows.map(({ branch }) => branch.id), [rows])
  const names = useMemo(
    () => new Map(branches.map(({ id, name, parentId }) => [id, parentId === null ? labels.workspace : name])),
    [branches],
  )
  const gutter = useMedia('(min-width: 760px)') ? wideTree : narrowTree
  const width = lanes.columns * columnWidth
  const { box, window } = useViewport(gutter, width, order.length * rowHeight)
  const fold = (id: BranchId, isFolded: boolean): void =>
    setFolded((before) => (isFolded ? new Set([...before, id]) : new Set([...before].filter((one) => one !== id))))
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-auto bg-canvas">
      <div style={{ width: gutter + width, height: order.length * rowHeight }} className="relative min-w-full">
        <div style={{ width: gutter }} className="sticky left-0 z-10 h-full border-line border-r bg-canvas">
          <BranchTree
            rows={rows}
            folded={folded}
            window={window}
            selected={selected}
            onSelect={onSelect}
            onFold={fold}
          />
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
