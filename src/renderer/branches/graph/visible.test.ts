import { describe, expect, it } from 'vitest'
import type { BranchId } from '#shared/model/ids.ts'
import type { GraphNode, Lanes } from './lanes.ts'
import { columnWidth, rowHeight, visiblePart, windowOf } from './visible.ts'

const id = (name: string): BranchId => name as BranchId
const nodesAt = (name: string, ...columns: number[]): readonly GraphNode[] =>
  columns.map((column) => ({ branchId: id(name), column, event: { id: column } }) as unknown as GraphNode)

const lanes: Lanes = {
  nodes: new Map([
    [id('root'), nodesAt('root', 0, 50)],
    [id('a'), nodesAt('a', 10, 11, 12, 20)],
    [id('z'), nodesAt('z', 5)],
  ]),
  links: Array.from({ length: 51 }, (_, column) =>
    column === 11 ? [{ kind: 'fork' as const, from: id('root'), to: id('z'), endColumn: 12 }] : [],
  ),
  columns: 51,
  seen: new Map(),
}
const rows = ['root', 'a', 'z'].map(id)
const only = (firstRow: number, lastRow: number, firstColumn: number, lastColumn: number) =>
  visiblePart(lanes, rows, { firstRow, lastRow, firstColumn, lastColumn })

describe('the visible part of the graph', () => {
  it('has a few more rows and columns than the box shows', () => {
    const viewport = { left: 10 * columnWidth, top: 20 * rowHeight, width: 5 * columnWidth, height: 3 * rowHeight }
    const content = { width: 100 * columnWidth, height: 100 * rowHeight }
    expect(windowOf(viewport, content)).toEqual({ firstRow: 16, lastRow: 27, firstColumn: 6, lastColumn: 19 })
    expect(windowOf({ left: 0, top: 0, width: 0, height: 0 }, content)).toMatchObject({ firstRow: 0, firstColumn: 0 })
  })

  it('never exceeds the content', () => {
    const viewport = { left: 0, top: 0, width: 50 * columnWidth, height: 50 * rowHeight }
    const content = { width: 7 * columnWidth, height: 3 * rowHeight }
    expect(windowOf(viewport, content)).toEqual({ firstRow: 0, lastRow: 2, firstColumn: 0, lastColumn: 6 })
  })

  it('has the visible nodes, and the lines that lead to hidden ones', () => {
    const { nodes, along } = only(0, 1, 11, 15)
    expect(nodes.map(({ row, column }) => [row, column])).toEqual([
      [1, 11],
      [1, 12],
    ])
    expect(along.map(({ fromColumn, toColumn }) => [fromColumn, toColumn])).toEqual([
      [0, 50],
      [10, 11],
      [11, 12],
      [12, 20],
    ])
  })

  it('has a link that only crosses it', () => {
    expect(only(1, 1, 9, 15).links).toEqual([{ kind: 'fork', fromRow: 0, fromColumn: 11, toRow: 2, toColumn: 12 }])
    expect(only(1, 1, 12, 15).links).toEqual([])
  })
})
