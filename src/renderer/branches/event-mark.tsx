import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import {
  GitBranch,
  GitMerge,
  HardDriveDownload,
  History,
  Layers,
  type LucideIcon,
  Pencil,
  RotateCcw,
  Trash2,
  Undo2,
  Zap,
} from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { strings } from '../state/strings.ts'
import type { BranchEventKind } from '../state/timeline.ts'
import { classNames } from '../ui/class-names.ts'
import type { GraphNode } from './graph-layout.ts'
import { columnWidth } from './graph-viewport.ts'

const words = strings.branches
const circle = 20

export type EventNode = Node<{ readonly node: GraphNode; readonly name: string; readonly selected: boolean }>

const looks: Record<BranchEventKind, readonly [Icon: LucideIcon, ink: string]> = {
  fork: [GitBranch, 'border-line-strong text-muted'],
  work: [Pencil, 'border-line-strong text-muted'],
  merge: [GitMerge, 'border-good text-good'],
  force: [Zap, 'border-warn text-warn'],
  discard: [Trash2, 'border-bad text-bad'],
  restore: [RotateCcw, 'border-line-strong text-muted'],
  undo: [Undo2, 'border-line-strong text-muted'],
  apply: [HardDriveDownload, 'border-accent text-accent'],
  rewind: [History, 'border-warn text-warn'],
}

/** The workspace is never forked: it starts. */
export function eventWord({ kind, lane }: GraphNode): string {
  return kind === 'fork' && lane === 0 ? words.started : words.event[kind]
}

const sides = [
  ['left', 'target', Position.Left, { left: (columnWidth - circle) / 2, top: circle / 2 }],
  ['below', 'target', Position.Bottom, { top: circle, bottom: 'auto' }],
  ['right', 'source', Position.Right, { right: (columnWidth - circle) / 2, top: circle / 2 }],
  ['bottom', 'source', Position.Bottom, { top: circle, bottom: 'auto' }],
  ['top', 'source', Position.Top, {}],
] as const

/** One event: what it was as a sign, and below it the word; a lane is named where it begins. */
export const EventMark = memo(function EventMark({ data }: NodeProps<EventNode>): ReactNode {
  const { node, name, selected } = data
  const [Icon, ink] = node.kind === 'fork' && node.lane === 0 ? [Layers, looks.fork[1]] : looks[node.kind]
  const begins = node.kind === 'fork'
  const label = begins ? name : `${eventWord(node)} ${node.paths}`
  return (
    <div style={{ width: columnWidth }} className="flex flex-col items-center">
      {sides.map(([id, type, position, style]) => (
        <Handle key={id} id={id} type={type} position={position} style={style} className="opacity-0" />
      ))}
      <span
        style={{ width: circle, height: circle }}
        className={classNames(
          'flex items-center justify-center rounded-full border bg-canvas',
          ink,
          selected && 'outline-2 outline-accent outline-offset-1',
        )}
      >
        <Icon size={11} aria-hidden />
      </span>
      <span
        title={label}
        className={classNames(
          'mt-[3px] max-w-full truncate bg-canvas px-0.5 text-[11px] leading-[14px]',
          begins ? 'font-medium' : 'text-muted',
        )}
      >
        {label}
      </span>
    </div>
  )
})
