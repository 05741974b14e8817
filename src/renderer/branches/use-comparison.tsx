import { type ReactNode, useState } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import type { BranchEvent } from '../state/store/branch-events.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { type ComparedState, Comparison } from './comparison.tsx'
import { EventBar } from './event-bar.tsx'
import { eventText } from './graph/event-text.ts'
import type { GraphNode } from './graph/lanes.ts'

const labels = strings.branches

interface ComparisonView {
  readonly chosen: GraphNode | null
  readonly choose: (node: GraphNode) => void
  /** Moves to an event without choosing it for a comparison. */
  readonly reach: (node: GraphNode) => void
  readonly bar: ReactNode
  readonly comparison: ReactNode
}

interface Pair {
  readonly from: ComparedState
  readonly to: ComparedState
}

/** The chosen event of the graph, and the comparison of two events. */
export function useComparison(branches: readonly Branch[], select: (id: BranchId) => void): ComparisonView {
  const [chosen, setChosen] = useState<GraphNode | null>(null)
  const [first, setFirst] = useState<ComparedState | null>(null)
  const [pair, setPair] = useState<Pair | null>(null)
  const events = useApp((state) => (chosen ? state.timeline.branches.get(chosen.branchId) : undefined))
  const nameOf = (id: BranchId): string => {
    const branch = branches.find((one) => one.id === id)
    return branch?.parentId ? branch.name : labels.workspace
  }
  const stateOf = (branchId: BranchId, event: BranchEvent): ComparedState => ({
    branchId,
    sequence: event.sequence,
    name: labels.stateName(nameOf(branchId), eventText(event, branches[0]?.id === branchId)),
  })
  function reach(node: GraphNode): void {
    setChosen(node)
    select(node.branchId)
  }
  function choose(node: GraphNode): void {
    reach(node)
    if (!first) return
    setPair({ from: first, to: stateOf(node.branchId, node.event) })
    setFirst(null)
  }
  if (!chosen || !branches.some(({ id }) => id === chosen.branchId)) {
    return { chosen: null, choose, reach, bar: null, comparison: null }
  }
  const { branchId, event } = chosen
  const here = stateOf(branchId, event)
  const before = events?.[events.findIndex(({ id, kind }) => id === event.id && kind === event.kind) - 1]
  const bar = first ? (
    <p role="status" className="flex items-center gap-2 border-line border-b bg-accent-soft px-3 py-1">
      <span className="min-w-0 flex-1">{labels.chooseOther}</span>
      <Button onClick={() => setFirst(null)}>{strings.common.cancel}</Button>
    </p>
  ) : (
    <EventBar
      node={chosen}
      name={nameOf(branchId)}
      isRoot={branches[0]?.id === branchId}
      onCompare={() => setFirst(here)}
      onCompareBefore={before ? () => setPair({ from: stateOf(branchId, before), to: here }) : null}
      onClose={() => {
        setChosen(null)
        setPair(null)
      }}
    />
  )
  const comparison = pair && (
    <Comparison {...pair} onSwap={() => setPair({ from: pair.to, to: pair.from })} onClose={() => setPair(null)} />
  )
  return { chosen, choose, reach, bar, comparison }
}
