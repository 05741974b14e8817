import { type Edge, ReactFlow, type ReactFlowInstance } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { formatTime } from '../ui/format.ts'
import { EventMark, type EventNode, eventWord } from './event-mark.tsx'
import { type BranchGraphLayout, layoutGraph } from './graph-layout.ts'
import { columnWidth, laneHeight, viewportFor } from './graph-viewport.ts'

const words = strings.branches
const nodeTypes = { event: EventMark }

export interface BranchGraphProps {
  readonly branches: readonly Branch[]
  readonly selected: BranchId | null
  readonly onSelect: (id: BranchId) => void
}

/** A fork leaves below and enters from the left; a merge goes straight up to the event it became. */
const ways = {
  lane: { type: 'straight', sourceHandle: 'right', targetHandle: 'left' },
  fork: { type: 'smoothstep', sourceHandle: 'bottom', targetHandle: 'left' },
  merge: { type: 'straight', sourceHandle: 'top', targetHandle: 'below' },
} as const

/** Fork, work, merge and discard of every branch, over time. */
export function BranchGraph({ branches, selected, onSelect }: BranchGraphProps): ReactNode {
  const events = useApp((state) => state.timeline.branches)
  const layout = useMemo(() => layoutGraph(branches, events), [branches, events])
  const names = useMemo(
    () => new Map(branches.map(({ id, name, parentId }) => [id, parentId === null ? words.workspace : name])),
    [branches],
  )
  const view = useFittedView(layout)
  const nodes = layout.nodes.map((node): EventNode => {
    const name = names.get(node.branchId) ?? ''
    return {
      id: node.id,
      type: 'event',
      position: { x: node.column * columnWidth, y: node.lane * laneHeight },
      data: { node, name, selected: node.branchId === selected },
      ariaLabel: `${name}: ${eventWord(node)}, ${words.eventPaths(node.paths)}, ${formatTime(node.at)}`,
    }
  })
  const edges = layout.edges.map(
    (edge): Edge => ({
      id: edge.id,
      source: edge.from,
      target: edge.to,
      ...ways[edge.kind],
      style: { stroke: edge.kind === 'lane' ? 'var(--line-strong)' : 'var(--accent)', strokeWidth: 1.5 },
    }),
  )

  /** An event that has the focus answers to Enter as it does to a click. */
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key !== 'Enter' && event.key !== ' ') return
    const id = (event.target as HTMLElement).dataset.id
    const node = layout.nodes.find((each) => each.id === id)
    if (node) onSelect(node.branchId)
  }

  return (
    <section ref={view.frame} aria-label={words.graph} onKeyDown={onKeyDown} className="h-full min-h-0 bg-canvas">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        onNodeClick={(_, node) => onSelect(node.data.node.branchId)}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements
        zoomOnScroll={false}
        preventScrolling={false}
        onInit={view.onInit}
        onMoveStart={view.onMoveStart}
        minZoom={0.2}
        maxZoom={1.5}
        proOptions={{ hideAttribution: true }}
      />
    </section>
  )
}

type Flow = ReactFlowInstance<EventNode>

/** Fits what there is, again whenever that or the room for it changes, until somebody moves it themselves. */
function useFittedView(layout: BranchGraphLayout) {
  const frame = useRef<HTMLElement>(null)
  const moved = useRef(false)
  const [flow, setFlow] = useState<Flow | null>(null)
  useEffect(() => {
    const element = frame.current
    if (!flow || !element) return
    const showAll = (): void => {
      if (moved.current) return
      void flow.setViewport(viewportFor(layout, element.clientWidth, element.clientHeight))
    }
    showAll()
    const sizes = new ResizeObserver(showAll)
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [flow, layout])
  return {
    frame,
    onInit: setFlow as (flow: Flow) => void,
    onMoveStart: (event: unknown) => {
      if (event) moved.current = true
    },
  }
}
