import { Check, ChevronRight, Folder, FolderGit2, FolderOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Drift } from '#shared/model/drift.ts'
import { formatBytes } from '#shared/text/format.ts'
import { ChangeMark, DriftMark } from '../parts/marks.tsx'
import { strings } from '../strings/strings.ts'
import { PathText } from '../ui/controls/path-text.tsx'
import { visibleText } from '../ui/controls/split-visible.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { LineCounts } from '../ui/diff/diff-parts.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import type { FileRow, FolderRow, Selected } from './change-tree.ts'

const labels = strings.changes

export function FolderLine({ row }: { row: FolderRow }): ReactNode {
  const Icon = row.isRepository ? FolderGit2 : row.open ? FolderOpen : Folder
  const title = visibleText(row.isRepository ? labels.newRepository(row.path) : row.path)
  return (
    <AriaElement role="gridcell" className="flex min-w-0 flex-1 items-center gap-1.5">
      <ChevronRight size={13} aria-hidden className={classNames('shrink-0 text-faint', row.open && 'rotate-90')} />
      <Icon size={14} aria-hidden className="shrink-0 text-faint" />
      <span className="truncate" title={title}>
        <VisibleText text={row.name} />
      </span>
      {row.isRepository && <span className="shrink-0 text-muted text-xs">{labels.repository}</span>}
      <span className="ml-auto text-faint text-xs tabular-nums">{row.files.length}</span>
    </AriaElement>
  )
}

interface FileLineProps {
  readonly row: FileRow
  readonly viewed: boolean
  /** The name of the agent or person who changed the file last. */
  readonly author: string
  readonly drift: Drift | undefined
}

export function FileLine({ row: { name, change }, viewed, author, drift }: FileLineProps): ReactNode {
  const { from, path, kind, added, removed, large } = change
  const whole = from ? `${from} → ${path}` : path
  return (
    <AriaElement role="gridcell" className="min-w-0 flex-1">
      <span className="flex items-center gap-2">
        <PathText path={whole} shown={name} className={classNames('flex-1', viewed && 'text-muted')} />
        {viewed && (
          <span title={strings.fileReview.viewed} className="text-good">
            <Check size={13} aria-hidden />
            <span className="sr-only">{strings.fileReview.viewed}</span>
          </span>
        )}
        <ChangeMark kind={kind} />
      </span>
      <span className="flex items-center gap-2 text-muted text-xs">
        <span aria-hidden className="truncate">
          {author ? labels.by(strings.common.change[kind], author) : strings.common.change[kind]}
        </span>
        <span className="sr-only">{author}</span>
        {drift && <DriftMark drift={drift} />}
        <span className="ml-auto">
          {large === undefined ? <LineCounts added={added} removed={removed} /> : formatBytes(large)}
        </span>
      </span>
    </AriaElement>
  )
}

interface SelectBoxProps {
  readonly label: string
  readonly selected: Selected
  readonly onToggle: () => void
}

/** Not a tab stop: Space on the row does the same, and a thousand files would be a thousand stops. */
export function SelectBox({ label, selected, onToggle }: SelectBoxProps): ReactNode {
  return (
    <AriaElement role="gridcell" className="flex">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={label}
        checked={selected === 'all'}
        ref={(box) => {
          if (box) box.indeterminate = selected === 'some'
        }}
        onChange={onToggle}
        onClick={(event) => event.stopPropagation()}
        className="size-4 shrink-0 accent-accent-solid"
      />
    </AriaElement>
  )
}
