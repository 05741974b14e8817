import { expect, it } from 'vitest'
import type { BranchId } from '#shared/model/ids.ts'
import type { BranchEventKind } from '../state/timeline.ts'
import type { BranchGraphLayout } from './graph-layout.ts'
import { columnWidth, laneHeight, viewportFor } from './graph-viewport.ts'

const at = (column: number, lane: number, kind: BranchEventKind = 'work') => ({
  id: `${column}-${lane}`,
  branchId: String(lane) as BranchId,
  kind,
  at: 0,
  paths: 1,
  column,
  lane,
})
const layout = (...nodes: readonly ReturnType<typeof at>[]): BranchGraphLayout => ({ nodes, edges: [] })

it('shows a short history whole, never larger than life', () => {
  const view = viewportFor(layout(at(0, 0, 'fork'), at(1, 1, 'fork'), at(2, 1)), 800, 300)
  expect(view.zoom).toBe(1)
  expect(view.x).toBeGreaterThan(0)
  expect(view.y).toBeGreaterThan(0)
})

it('makes it smaller as long as it can be read', () => {
  const wide = layout(at(0, 0, 'fork'), at(1, 1, 'fork'), at(9, 1))
  const { x, zoom } = viewportFor(wide, 600, 300)
  expect(zoom).toBeLessThan(1)
  expect(x + 10 * columnWidth * zoom).toBeLessThanOrEqual(600)
})

it('keeps the fork in sight when a long history does not fit', () => {
  const long = layout(at(0, 0, 'fork'), at(7, 0), at(8, 1, 'fork'), at(40, 1))
  const { x, zoom } = viewportFor(long, 500, 300)
  const fork = x + 8 * columnWidth * zoom
  expect(fork).toBeGreaterThanOrEqual(0)
  expect(fork + columnWidth).toBeLessThan(500)
})

it('starts at the top when there are more lanes than fit', () => {
  const many = layout(...Array.from({ length: 30 }, (_, lane) => at(0, lane, 'fork')))
  const { y, zoom } = viewportFor(many, 500, 200)
  expect(y).toBeLessThan(laneHeight)
  expect(zoom).toBeGreaterThan(0.5)
})
