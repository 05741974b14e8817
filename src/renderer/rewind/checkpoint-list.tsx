import {
  CircleCheck,
  FilePen,
  GitMerge,
  History,
  type LucideIcon,
  MessageSquare,
  Redo2,
  StepForward,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { CheckpointRow } from '#shared/model/derived/checkpoints.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { formatTime } from '#shared/text/format.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { usePagedList } from './use-paged-list.ts'

const labels = strings.rewind

interface CheckpointListProps {
  /** Oldest first. */
  readonly rows: readonly CheckpointRow[]
  readonly chosen: Sequence | null
  readonly onChoose: (to: Sequence) => void
}

/** The checkpoints a thread can go back to, latest first. */
export function CheckpointList({ rows, chosen, onChoose }: CheckpointListProps): ReactNode {
  const [all, setAll] = useState(false)
  const latestFirst = rows.filter(({ main, to }) => all || main || to === chosen).toReversed()
  const { shown, left, showMore } = usePagedList(latestFirst, ({ to }) => to === chosen)
  return (
    <fieldset className="flex min-h-0 min-w-0 flex-col md:w-72 md:shrink-0">
      <legend className="sr-only">{labels.timeline}</legend>
      <label className="flex min-h-7 items-center gap-2 text-muted">
        <input type="checkbox" checked={all} onChange={() => setAll(!all)} className="size-4 accent-accent-solid" />
        {labels.everyStep}
      </label>
      <div className="max-h-[50vh] overflow-y-auto rounded-md border border-line max-md:max-h-48">
        {shown.map((row) => (
          <Row key={row.to} row={row} chosen={row.to === chosen} onChoose={onChoose} />
        ))}
        {left > 0 && (
          <Button tone="quiet" className="m-1" onClick={showMore}>
            {labels.earlier(left)}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

interface RowProps {
  readonly row: CheckpointRow
  readonly chosen: boolean
  readonly onChoose: (to: Sequence) => void
}

function Row({ row, chosen, onChoose }: RowProps): ReactNode {
  const [Icon, text] = looksOf(row)
  return (
    <label
      className={classNames(
        'flex min-h-9 cursor-pointer items-center gap-2 border-line px-2 py-1 not-last:border-b hover:bg-hover has-[:focus-visible]:outline-2 has-[:focus-visible]:-outline-offset-2 has-[:focus-visible]:outline-accent',
        chosen && 'bg-hover',
      )}
    >
      <input
        type="radio"
        name="checkpoint"
        checked={chosen}
        onChange={() => onChoose(row.to)}
        className="size-4 shrink-0 accent-accent-solid"
      />
      <Icon size={14} aria-hidden className="shrink-0 text-faint" />
      <span className="line-clamp-2 min-w-0 flex-1 [overflow-wrap:anywhere]">{text}</span>
      <time className="shrink-0 text-muted text-xs tabular-nums">{formatTime(row.at)}</time>
    </label>
  )
}

function looksOf({ mark, changed, main }: CheckpointRow): readonly [LucideIcon, string] {
  switch (mark.kind) {
    case 'message':
      return [MessageSquare, labels.before(textOf(mark.message.content).trim() || labels.picture)]
    case 'step':
      if (changed.length > 0) return [FilePen, labels.changed(changed.length)]
      return main ? [GitMerge, labels.merged] : [StepForward, labels.step]
    case 'end':
      return [CircleCheck, labels.ended]
    case 'before_rewind':
      return [Redo2, labels.beforeRewind]
    case 'rewind':
      return [History, labels.rewound]
  }
}
