import { describe, expect, it } from 'vitest'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { BranchEvent, BranchEventKind } from '../state/timeline.ts'
import { layoutGraph } from './graph-layout.ts'

const branch = (id: string, parent: string | null): Branch => ({
  id: id as BranchId,
  threadId: id as ThreadId,
  parentId: parent as BranchId | null,
  handle: null,
  name: id,
  forkedAt: 1,
  status: 'open',
  merges: [],
})
const happened = (sequence: number, kind: BranchEventKind): BranchEvent => ({ sequence, at: sequence, kind, paths: 1 })

const branches = [branch('root', null), branch('a', 'root'), branch('b', 'root')]
const events = new Map<BranchId, readonly BranchEvent[]>([
  ['root' as BranchId, [happened(1, 'fork'), happened(2, 'work')]],
  ['a' as BranchId, [happened(3, 'fork'), happened(5, 'work'), happened(7, 'merge')]],
  ['b' as BranchId, [happened(4, 'fork'), happened(6, 'discard')]],
])

describe('branch graph', () => {
  const { nodes, edges } = layoutGraph(branches, events)
  const at = (id: string): (typeof nodes)[number] | undefined => nodes.find((node) => node.id === id)

  it('gives every branch a lane, and every event the first column after what it follows from', () => {
    expect([at('root-2')?.lane, at('a-3')?.lane, at('b-4')?.lane]).toEqual([0, 1, 2])
    expect(['root-1', 'root-2', 'a-3', 'b-4', 'a-5', 'b-6', 'a-7'].map((id) => at(id)?.column)).toEqual([
      0, 1, 2, 2, 3, 3, 4,
    ])
  })

  it('forks from what the parent did last before', () => {
    expect(edges.filter(({ kind }) => kind === 'fork').map(({ from, to }) => [from, to])).toEqual([
      ['root-2', 'a-3'],
      ['root-2', 'b-4'],
    ])
  })

  it('shows a merge on both lanes, and a discard on its own alone', () => {
    expect(at('root-7') ?? at('root-7-into')).toMatchObject({ lane: 0, column: 4, kind: 'merge' })
    expect(edges.filter(({ kind }) => kind === 'merge')).toHaveLength(1)
    expect(nodes.filter(({ kind }) => kind === 'discard')).toHaveLength(1)
  })

  it('names every node and edge once', () => {
    expect(new Set([...nodes, ...edges].map(({ id }) => id)).size).toBe(nodes.length + edges.length)
  })
})
