import { Check, Equal, GitMerge, TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import type { BranchFile } from '#shared/contract/views.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { ChangeMark } from '../state/change-mark.tsx'
import { strings } from '../state/strings.ts'
import { AriaElement } from '../ui/aria-element.tsx'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { LineCounts } from '../ui/line-counts.tsx'
import { reviewKey } from './review-logic.ts'
import type { BranchActs } from './use-branch-acts.ts'
import { useRowFocus } from './use-row-focus.ts'

const words = strings.branches

export interface BranchFilesProps {
  readonly branch: Branch
  readonly files: readonly BranchFile[]
  readonly chosen: VirtualPath | null
  readonly onChoose: (path: VirtualPath) => void
  readonly acts: BranchActs
}

/** Every file of the branch, with the three things that can be done with it. */
export function BranchFiles({ branch, files, chosen, onChoose, acts }: BranchFilesProps): ReactNode {
  const grid = useRef<HTMLDivElement>(null)
  const focus = useRowFocus(grid, files)
  const reached = Math.max(
    files.findIndex(({ path }) => path === chosen),
    0,
  )

  const merge = (file: BranchFile): void => {
    if (file.status === 'conflict') onChoose(file.path)
    else void acts.merge([file.path], file.status === 'mergeable' ? 'three_way' : 'refuse')
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>, file: BranchFile, index: number): void {
    const action = event.target === event.currentTarget ? reviewKey(event.key, event.shiftKey) : null
    if (event.target === event.currentTarget && event.key === 'Enter') onChoose(file.path)
    if (!action) return
    event.preventDefault()
    const possible = !acts.command.busy && (file.status !== 'identical' || action === 'discard')
    if (action === 'next' || action === 'previous') focusRow(index + (action === 'next' ? 1 : -1))
    else if (!possible) return
    else if (action === 'merge') merge(file)
    else if (action === 'force') void acts.force(file.path)
    else void acts.discard([file.path])
  }

  function focusRow(index: number): void {
    const rows = grid.current?.querySelectorAll<HTMLElement>('[role="row"]')
    const file = files[index]
    if (file) onChoose(file.path)
    rows?.[index]?.focus()
  }

  return (
    <AriaElement
      ref={grid}
      role="grid"
      aria-label={words.files(branch.name)}
      className="divide-y divide-line"
      {...focus}
    >
      {files.map((file, index) => (
        <AriaElement
          key={file.path}
          role="row"
          aria-label={file.path}
          aria-selected={file.path === chosen}
          tabIndex={index === reached ? 0 : -1}
          onKeyDown={(event) => onKeyDown(event, file, index)}
          className={classNames(
            'flex flex-wrap items-center gap-x-3 px-3 py-1 text-xs',
            file.path === chosen && 'bg-accent-soft',
          )}
        >
          <AriaElement role="gridcell" className="w-3 text-center">
            <ChangeMark kind={file.kind} />
          </AriaElement>
          <AriaElement role="gridcell" className="flex min-w-0 flex-1 basis-48">
            <button
              type="button"
              tabIndex={-1}
              onClick={() => onChoose(file.path)}
              className="min-h-6 max-w-full truncate text-left font-mono hover:underline"
              title={file.path}
            >
              {file.from ? `${file.from} → ${file.path}` : file.path}
            </button>
          </AriaElement>
          <AriaElement role="gridcell" className="flex w-16 justify-end">
            <LineCounts added={file.added} removed={file.removed} />
          </AriaElement>
          <AriaElement role="gridcell" className="flex w-26">
            <MergeStatusMark status={file.status} />
          </AriaElement>
          <AriaElement role="gridcell" className="flex gap-1">
            <Button
              disabled={acts.command.busy || file.status === 'identical'}
              onClick={() => merge(file)}
              title={`${words.merge} (m)`}
            >
              {words.merge}
            </Button>
            <Button
              disabled={acts.command.busy || file.status === 'identical'}
              onClick={() => void acts.force(file.path)}
              title={`${words.forceHint} (Shift+F)`}
            >
              {words.force}
            </Button>
            <Button
              tone="danger"
              disabled={acts.command.busy}
              onClick={() => void acts.discard([file.path])}
              title={`${words.discard} (Delete)`}
            >
              {words.discard}
            </Button>
          </AriaElement>
        </AriaElement>
      ))}
    </AriaElement>
  )
}

const marks = {
  clean: { Icon: Check, ink: 'text-good' },
  mergeable: { Icon: GitMerge, ink: 'text-warn' },
  conflict: { Icon: TriangleAlert, ink: 'text-bad' },
  identical: { Icon: Equal, ink: 'text-muted' },
} as const

function MergeStatusMark({ status }: { status: BranchFile['status'] }): ReactNode {
  const { Icon, ink } = marks[status]
  return (
    <span className={classNames('flex items-center gap-1', ink)}>
      <Icon size={13} aria-hidden />
      {strings.common.merge[status]}
    </span>
  )
}
