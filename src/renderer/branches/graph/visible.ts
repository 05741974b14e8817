import type { BranchId } from '#shared/model/ids.ts'
import type { GraphLink, GraphNode, Lanes } from './lanes.ts'

/** Pixels. */
export const rowHeight = 44
export const columnWidth = 76

/** The visible rows and columns of the graph, both ends included. */
export interface Window {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** The number of rows and columns rendered beyond each edge, so that scrolling shows no gaps. */
const beyond = 4

/** Pixels. */
interface Size {
  readonly width: number
  readonly height: number
}

interface Viewport {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/**
 * The visible rows and columns. Stays within the content, because a row rendered beyond it would make the box longer.
 */
export function windowOf({ left, top, width, height }: Viewport, content: Size): Window {
  return {
    firstRow: Math.max(Math.floor(top / rowHeight) - beyond, 0),
    lastRow: Math.min(Math.floor((top + height) / rowHeight) + beyond, Math.ceil(content.height / rowHeight) - 1),
    firstColumn: Math.max(Math.floor(left / columnWidth) - beyond, 0),
    lastColumn: Math.min(Math.floor((left + width) / columnWidth) + beyond, Math.ceil(content.width / columnWidth) - 1),
  }
}

export interface Line {
  readonly fromRow: number
  readonly fromColumn: number
  readonly toRow: number
  readonly toColumn: number
}

export interface Visible {
  readonly nodes: readonly (GraphNode & { readonly row: number })[]
  /** The lines along branches, from one event to the next. */
  readonly along: readonly Line[]
  readonly links: readonly (Line & Pick<GraphLink, 'kind'>)[]
}

/** The nodes and lines to render. The cost depends on what is visible, not on the size of the graph. */
export function visiblePart(lanes: Lanes, rows: readonly BranchId[], window: Window): Visible {
  const rowOf = rowsByBranch(rows)
  const nodes: (GraphNode & { row: number })[] = []
  const along: Line[] = []
  for (let row = window.firstRow; row <= Math.min(window.lastRow, rows.length - 1); row += 1) {
    const own = lanes.nodes.get(rows[row] as BranchId) ?? []
    const first = firstFrom(own, window.firstColumn)
    let before = own[first - 1]
    for (let index = first; index < own.length; index += 1) {
      const node = own[index] as GraphNode
      if (before) along.push({ fromRow: row, fromColumn: before.column, toRow: row, toColumn: node.column })
      before = node
      if (node.column > window.lastColumn) break
      nodes.push({ ...node, row })
    }
  }
  return { nodes, along, links: linksIn(lanes, rowOf, window) }
}

function linksIn(lanes: Lanes, rowOf: ReadonlyMap<BranchId, number>, window: Window): Visible['links'] {
  const links: (Line & Pick<GraphLink, 'kind'>)[] = []
  for (let column = window.firstColumn; column <= Math.min(window.lastColumn, lanes.links.length - 1); column += 1) {
    for (const { kind, from, to, endColumn } of lanes.links[column] ?? []) {
      const [fromRow, toRow] = [rowOf.get(from), rowOf.get(to)]
      if (fromRow === undefined || toRow === undefined) continue
      if (Math.max(fromRow, toRow) < window.firstRow || Math.min(fromRow, toRow) > window.lastRow) continue
      links.push({ kind, fromRow, fromColumn: column, toRow, toColumn: endColumn })
    }
  }
  return links
}

const known = new WeakMap<readonly BranchId[], ReadonlyMap<BranchId, number>>()

function rowsByBranch(rows: readonly BranchId[]): ReadonlyMap<BranchId, number> {
  const found = known.get(rows) ?? new Map(rows.map((id, row) => [id, row]))
  known.set(rows, found)
  return found
}

/** The index of the first node at or after a column. */
export function firstFrom(nodes: readonly GraphNode[], column: number): number {
  let [low, high] = [0, nodes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((nodes[middle]?.column ?? 0) < column) low = middle + 1
    else high = middle
  }
  return low
}
