import { describe, expect, it } from 'vitest'
import type { BranchId } from '#shared/model/ids.ts'
import { stepInGraph } from './keys.ts'
import { type GraphNode, type Lanes, noLanes } from './lanes.ts'

const id = (name: string): BranchId => name as BranchId

describe('keys of the graph', () => {
  const at = (name: string, ...columns: number[]): readonly [BranchId, readonly GraphNode[]] => [
    id(name),
    columns.map((column) => ({ branchId: id(name), column }) as GraphNode),
  ]
  const lanes: Lanes = { ...noLanes, nodes: new Map([at('root', 0, 4, 9), at('a', 3, 6)]) }
  const rows = [id('root'), id('a')]
  const from = (name: string, column: number, key: string) => {
    const node = lanes.nodes.get(id(name))?.find((one) => one.column === column) as GraphNode
    const to = stepInGraph(key, node, lanes, rows)
    return to && `${to.branchId} ${to.column}`
  }
  it.each([
    ['root', 4, 'ArrowRight', 'root 9'],
    ['root', 4, 'ArrowLeft', 'root 0'],
    ['root', 9, 'ArrowRight', null],
    ['root', 9, 'Home', 'root 0'],
    ['root', 0, 'End', 'root 9'],
    ['root', 4, 'ArrowDown', 'a 3'],
    ['a', 6, 'ArrowUp', 'root 4'],
    ['a', 6, 'ArrowDown', null],
    ['root', 9, 'ArrowDown', 'a 6'],
    ['a', 6, 'x', null],
  ])('from %s at %i, %s leads to %s', (name, column, key, to) => expect(from(name, column, key)).toBe(to))
})
