import type { BranchGraphLayout } from './graph-layout.ts'

/** Pixels at full size. */
export const columnWidth = 68
export const laneHeight = 44
const margin = 10
/** Smaller than this nobody reads it. */
const smallest = 0.75

export interface GraphViewport {
  readonly x: number
  readonly y: number
  readonly zoom: number
}

/** Everything where it fits; else as small as can be read, from the first fork on. */
export function viewportFor({ nodes }: BranchGraphLayout, width: number, height: number): GraphViewport {
  const columns = Math.max(...nodes.map(({ column }) => column), 0) + 1
  const lanes = Math.max(...nodes.map(({ lane }) => lane), 0) + 1
  const fitting = Math.min((width - 2 * margin) / (columns * columnWidth), (height - 2 * margin) / (lanes * laneHeight))
  const zoom = Math.min(Math.max(fitting, smallest), 1)
  const fork = nodes.find(({ kind, lane }) => kind === 'fork' && lane > 0)
  const hidden = columns * columnWidth * zoom > width - 2 * margin ? Math.max((fork?.column ?? 0) - 1, 0) : 0
  const free = height - lanes * laneHeight * zoom
  return { x: hidden > 0 ? -hidden * columnWidth * zoom : margin, y: Math.max(free / 2, margin), zoom }
}
