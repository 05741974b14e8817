import { memo, type ReactNode } from 'react'
import { columnWidth, type Line, rowHeight, type Visible, type Window } from './visible.ts'

/** Pixels from the top of a lane to the middle of its nodes. */
export const nodeCentre = 15
const bend = 8

export interface GraphLinesProps {
  readonly visible: Visible
  readonly window: Window
}

/** The lines between what is in sight: one path of each kind, however many there are. */
export const GraphLines = memo(function GraphLines({ visible, window }: GraphLinesProps): ReactNode {
  const [left, top] = [window.firstColumn * columnWidth, window.firstRow * rowHeight]
  const width = (window.lastColumn - window.firstColumn + 1) * columnWidth
  const height = (window.lastRow - window.firstRow + 1) * rowHeight
  const forks = visible.links.filter(({ kind }) => kind === 'fork')
  const merges = visible.links.filter(({ kind }) => kind === 'merge')
  return (
    <svg
      aria-hidden
      width={width}
      height={height}
      viewBox={`${left} ${top} ${width} ${height}`}
      style={{ left, top }}
      className="pointer-events-none absolute"
      fill="none"
      strokeWidth={1.5}
    >
      <path d={visible.along.map(alongPath).join('')} stroke="var(--line-strong)" />
      <path d={forks.map(forkPath).join('')} stroke="var(--accent)" />
      <path d={merges.map(mergePath).join('')} stroke="var(--good)" strokeDasharray="3 3" />
    </svg>
  )
})

const xOf = (column: number): number => column * columnWidth + columnWidth / 2
const yOf = (row: number): number => row * rowHeight + nodeCentre

function alongPath({ fromRow, fromColumn, toColumn }: Line): string {
  return `M${xOf(fromColumn)} ${yOf(fromRow)}H${xOf(toColumn)}`
}

/** Down or up from where the branch was forked, then around a corner to its first event. */
function forkPath({ fromRow, fromColumn, toRow, toColumn }: Line): string {
  const y = yOf(toRow)
  const turn = fromRow < toRow ? y - bend : y + bend
  return `M${xOf(fromColumn)} ${yOf(fromRow)}V${turn}Q${xOf(fromColumn)} ${y} ${xOf(fromColumn) + bend} ${y}H${xOf(toColumn)}`
}

function mergePath({ fromRow, fromColumn, toRow }: Line): string {
  return `M${xOf(fromColumn)} ${yOf(fromRow)}V${yOf(toRow)}`
}
