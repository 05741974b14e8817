import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { strings } from '../../strings/strings.ts'
import { GraphLines, GraphNodeMark } from './graph-node.tsx'
import { stepInGraph } from './keys.ts'
import { type GraphNode, type Lanes, nodeKey } from './lanes.ts'
import { visiblePart, type Window } from './visible.ts'

const labels = strings.branches

interface BranchGraphProps {
  readonly lanes: Lanes
  /** The branches, in the order of their lanes. */
  readonly rows: readonly BranchId[]
  readonly names: ReadonlyMap<BranchId, string>
  readonly window: Window
  readonly selected: BranchId | null
  readonly chosen: GraphNode | null
  readonly onChoose: (node: GraphNode) => void
  /** Called when an arrow key moves to the node. Only Enter chooses it for a comparison. */
  readonly onReach: (node: GraphNode) => void
}

/** The events of every branch, over time. Only the visible nodes and the one that Tab leads to are rendered. */
export function BranchGraph({
  lanes,
  rows,
  names,
  window,
  selected,
  chosen,
  onChoose,
  onReach,
}: BranchGraphProps): ReactNode {
  const visible = useMemo(() => visiblePart(lanes, rows, window), [lanes, rows, window])
  const box = useRef<HTMLElement>(null)
  const goTo = useRef<string | null>(null)
  const reached = chosen ?? lanes.nodes.get(selected ?? (rows[0] as BranchId))?.at(-1) ?? visible.nodes[0] ?? null
  const reachedRow = reached ? rows.indexOf(reached.branchId) : -1
  const isMade = reached !== null && visible.nodes.some((node) => nodeKey(node) === nodeKey(reached))
  const nodes =
    reached && !isMade && reachedRow >= 0 ? [...visible.nodes, { ...reached, row: reachedRow }] : visible.nodes

  useEffect(() => {
    if (goTo.current === null) return
    const button = box.current?.querySelector<HTMLElement>(`[data-node="${goTo.current}"]`)
    button?.focus()
    button?.scrollIntoView({ block: 'nearest', inline: 'center' })
    if (button) goTo.current = null
  })

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const key = (event.target as HTMLElement).dataset.node
    const node = nodes.find((one) => nodeKey(one) === key)
    const next = node && stepInGraph(event.key, node, lanes, rows)
    if (!next) return
    event.preventDefault()
    goTo.current = nodeKey(next)
    onReach(next)
  }

  return (
    <section ref={box} aria-label={labels.graph} onKeyDown={onKeyDown} className="absolute inset-0 overflow-clip">
      <GraphLines visible={visible} window={window} />
      {nodes.map((node) => (
        <GraphNodeMark
          key={nodeKey(node)}
          node={node}
          row={node.row}
          name={names.get(node.branchId) ?? ''}
          isRoot={node.branchId === rows[0]}
          isReached={nodeKey(node) === (reached && nodeKey(reached))}
          isChosen={nodeKey(node) === (chosen && nodeKey(chosen))}
          onChoose={onChoose}
        />
      ))}
    </section>
  )
}
