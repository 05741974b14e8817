import {
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { memo, type ReactNode, useMemo, useRef } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { classNames } from '../ui/class-names.ts'
import { formatTime } from '../ui/format.ts'
import { type GraphNode, layoutGraph } from './graph-layout.ts'

const words = strings.branches
const columnWidth = 104
const laneHeight = 46

type EventNode = Node<{ readonly node: GraphNode; readonly name: string; readonly selected: boolean }>

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
  const frame = useRef<HTMLElement>(null)
  const layout = useMemo(() => layoutGraph(branches, events), [branches, events])
  const names = useMemo(() => new Map(branches.map((branch) => [branch.id, branch.name])), [branches])
  const nodes = layout.nodes.map(
    (node): EventNode => ({
      id: node.id,
      type: 'event',
      position: { x: node.column * columnWidth, y: node.lane * laneHeight },
      data: { node, name: names.get(node.branchId) ?? '', selected: node.branchId === selected },
      ariaLabel: `${names.get(node.branchId)}: ${eventWord(node)}, ${words.eventPaths(node.paths)}, ${formatTime(node.at)}`,
    }),
  )
  const edges = layout.edges.map(
    (edge): Edge => ({
      id: edge.id,
      source: edge.from,
      target: edge.to,
      ...ways[edge.kind],
      style: { stroke: edge.kind === 'lane' ? 'var(--line-strong)' : 'var(--accent)', strokeWidth: 1.5 },
    }),
  )
  /** A long history starts at its end, where something may be left to do. */
  function showLatest(flow: ReactFlowInstance<EventNode>): void {
    const room = frame.current?.clientWidth ?? 0
    const { x, y, zoom } = flow.getViewport()
    const { x: left, width } = flow.getNodesBounds(nodes)
    const end = (left + width) * zoom
    if (width * zoom > room) void flow.setViewport({ x: Math.min(x, room - end - 16), y, zoom })
  }

  return (
    <section ref={frame} aria-label={words.graph} className="h-full min-h-0 bg-canvas">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        onNodeClick={(_, node) => onSelect(node.data.node.branchId)}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements
        fitView
        onInit={showLatest}
        fitViewOptions={{ minZoom: 0.65, maxZoom: 1, padding: 0.1 }}
        minZoom={0.2}
        maxZoom={1.5}
        proOptions={{ hideAttribution: true }}
      />
    </section>
  )
}

/** The workspace is never forked: it starts. */
function eventWord({ kind, lane }: GraphNode): string {
  return kind === 'fork' && lane === 0 ? words.started : words.event[kind]
}

const inks = {
  fork: 'border-line-strong',
  work: 'border-line-strong',
  merge: 'border-good text-good',
  force: 'border-warn text-warn',
  discard: 'border-bad text-bad',
  restore: 'border-line-strong',
  undo: 'border-line-strong',
  apply: 'border-accent text-accent',
} as const

const EventCard = memo(function EventCard({ data }: NodeProps<EventNode>): ReactNode {
  const { node, name, selected } = data
  return (
    <div
      className={classNames(
        'w-24 rounded-md border bg-raised px-1.5 py-0.5 text-[11px] leading-4',
        inks[node.kind],
        selected && 'outline-2 outline-accent',
      )}
    >
      <Handle id="left" type="target" position={Position.Left} className="opacity-0" />
      <Handle id="below" type="target" position={Position.Bottom} className="opacity-0" />
      <p className="truncate font-medium text-text">{name}</p>
      <p className="truncate">
        {eventWord(node)}
        {node.paths > 0 && <span className="text-muted"> {node.paths}</span>}
      </p>
      <Handle id="right" type="source" position={Position.Right} className="opacity-0" />
      <Handle id="bottom" type="source" position={Position.Bottom} className="opacity-0" />
      <Handle id="top" type="source" position={Position.Top} className="opacity-0" />
    </div>
  )
})

const nodeTypes = { event: EventCard }
