import {
  ArrowDownToLine,
  Boxes,
  GitBranch,
  GitMerge,
  HardDriveDownload,
  History,
  Layers,
  type LucideIcon,
  MessageSquare,
  Pencil,
  RotateCcw,
  Trash2,
  Undo2,
  Zap,
} from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { BranchEventKind } from '../../state/store/branch-events.ts'
import { formatTime } from '../../strings/format.ts'
import { classNames } from '../../ui/react/class-names.ts'
import { eventText } from './event-text.ts'
import { type GraphNode, nodeKey } from './lanes.ts'
import { columnWidth, type Line, rowHeight, type Visible, type Window } from './visible.ts'

const circle = 22

const looks: Record<BranchEventKind, readonly [Icon: LucideIcon, colour: string]> = {
  fork: [GitBranch, 'border-line-strong text-muted'],
  checkpoint: [MessageSquare, 'border-line-strong text-text'],
  work: [Pencil, 'border-line-strong text-muted'],
  batch: [Boxes, 'border-accent text-accent'],
  merge: [GitMerge, 'border-good text-good'],
  force: [Zap, 'border-warn text-warn'],
  taken: [ArrowDownToLine, 'border-good text-good'],
  discard: [Trash2, 'border-bad text-bad'],
  restore: [RotateCcw, 'border-line-strong text-muted'],
  undo: [Undo2, 'border-line-strong text-muted'],
  apply: [HardDriveDownload, 'border-accent text-accent'],
  rewind: [History, 'border-warn text-warn'],
}

interface GraphNodeMarkProps {
  readonly node: GraphNode
  readonly row: number
  readonly name: string
  readonly isRoot: boolean
  readonly isReached: boolean
  readonly isChosen: boolean
  readonly onChoose: (node: GraphNode) => void
}

/** One event of the graph: its icon, and its name below. */
export const GraphNodeMark = memo(function GraphNodeMark(props: GraphNodeMarkProps): ReactNode {
  const { node, row, name, isRoot, isReached, isChosen, onChoose } = props
  const { kind, at } = node.event
  const [Icon, colour] = kind === 'fork' && isRoot ? [Layers, looks.fork[1]] : looks[kind]
  const text = eventText(node.event, isRoot)
  return (
    <button
      type="button"
      data-node={nodeKey(node)}
      tabIndex={isReached ? 0 : -1}
      aria-pressed={isChosen}
      aria-label={`${name}: ${text}, ${formatTime(at)}`}
      title={`${text} · ${formatTime(at)}`}
      onClick={() => onChoose(node)}
      style={{ left: node.column * columnWidth, top: row * rowHeight, width: columnWidth, height: rowHeight }}
      className="group absolute flex flex-col items-center outline-none [contain:layout_size]"
    >
      <span
        style={{ width: circle, height: circle, marginTop: nodeCentre - circle / 2 }}
        className={classNames(
          'flex shrink-0 items-center justify-center rounded-full border bg-canvas group-hover:bg-hover group-focus-visible:outline-2 group-focus-visible:outline-accent',
          colour,
          isChosen && 'bg-accent-soft! outline-2 outline-accent outline-offset-1',
        )}
      >
        <Icon size={12} aria-hidden />
      </span>
      <span
        className={classNames(
          'max-w-full truncate rounded-sm bg-canvas px-0.5 text-[11px] leading-[15px]',
          isChosen || kind === 'checkpoint' ? 'text-text' : 'text-muted',
        )}
      >
        {text}
      </span>
    </button>
  )
})

/** Pixels from the top of a lane to the centre of its nodes. */
const nodeCentre = 15
const bend = 8

interface GraphLinesProps {
  readonly visible: Visible
  readonly window: Window
}

/** The lines between visible nodes. All lines of a kind share one path, however many there are. */
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

/** Draws a line down or up from the fork point, then around a corner to the branch's first event. */
function forkPath({ fromRow, fromColumn, toRow, toColumn }: Line): string {
  const y = yOf(toRow)
  const turn = fromRow < toRow ? y - bend : y + bend
  return `M${xOf(fromColumn)} ${yOf(fromRow)}V${turn}Q${xOf(fromColumn)} ${y} ${xOf(fromColumn) + bend} ${y}H${xOf(toColumn)}`
}

function mergePath({ fromRow, fromColumn, toRow }: Line): string {
  return `M${xOf(fromColumn)} ${yOf(fromRow)}V${yOf(toRow)}`
}
