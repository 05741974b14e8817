import { Check, Equal, GitMerge, TriangleAlert, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BranchFile, BranchSurvey } from '#shared/contract/views/branches.ts'
import type { Branch, MergeNote } from '#shared/model/branch.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { formatTime } from '#shared/text/format.ts'
import { AuthorMark } from '../parts/agents/agent-mark.tsx'
import { ChangeMark, DriftMark } from '../parts/marks.tsx'
import { useApp, useAppList } from '../state/hooks/hooks.tsx'
import { authorIn } from '../state/hooks/use-author-names.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { LineCounts } from '../ui/diff/diff-parts.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { AriaElement } from '../ui/react/elements.tsx'
import { partnersIn } from './list/conflict-words.ts'
import type { BranchActions } from './use-branch-actions.ts'

const labels = strings.branches

interface FileCellsProps {
  readonly branch: Branch
  readonly file: BranchFile
  readonly survey: BranchSurvey | undefined
  /** The merge that brought all of the file into the parent; null while something is left to merge. */
  readonly merge: MergeNote | null
  /** The name of the agent or person who changed the file last. */
  readonly author: string
  readonly drift: Drift | undefined
  readonly onChoose: (path: VirtualPath) => void
}

/** Shows the branch's change to a file, and whether it can be merged. */
export function FileCells({ branch, file, survey, merge, author, drift, onChoose }: FileCellsProps): ReactNode {
  const partners = useAppList((app) => partnersIn(app, survey, file.path))
  return (
    <>
      <AriaElement role="gridcell" className="w-3 text-center">
        <ChangeMark kind={file.kind} />
      </AriaElement>
      <AriaElement role="gridcell" className="flex min-w-0 flex-1 basis-48 items-center gap-2">
        <button
          type="button"
          tabIndex={-1}
          onClick={() => onChoose(file.path)}
          className="flex min-h-6 min-w-0 items-center text-left hover:underline"
        >
          <PathText path={file.from ? `${file.from} → ${file.path}` : file.path} />
        </button>
        {drift && <DriftMark drift={drift} />}
      </AriaElement>
      <AriaElement role="gridcell" className="flex">
        <AuthorMark name={author} />
      </AriaElement>
      <AriaElement role="gridcell" className="flex w-16 justify-end">
        <LineCounts added={file.added} removed={file.removed} />
      </AriaElement>
      <AriaElement role="gridcell" className="flex w-26">
        {merge ? (
          <MergedMark branch={branch} merge={merge} />
        ) : (
          <MergeStatusMark status={file.status} partners={partners} />
        )}
      </AriaElement>
    </>
  )
}

interface FileActionsProps {
  readonly branch: Branch
  readonly file: BranchFile
  readonly merge: MergeNote | null
  readonly actions: BranchActions
  readonly onMerge: (file: BranchFile) => void
}

export function FileActions({ branch, file, merge, actions, onMerge }: FileActionsProps): ReactNode {
  const replaced = useApp((state) => authorIn(state, branch.parentId, file.path))
  if (merge) {
    return (
      <AriaElement role="gridcell" className="flex min-w-46 justify-end">
        <Button
          disabled={actions.command.busy}
          icon={<Undo2 size={13} aria-hidden />}
          title={labels.undoMergeOf(merge.paths.length)}
          onClick={() => void actions.undo(merge.sequence)}
        >
          {labels.undoMerge}
        </Button>
      </AriaElement>
    )
  }
  const nothingToMerge = actions.command.busy || file.status === 'identical'
  return (
    <AriaElement role="gridcell" className="flex min-w-46 justify-end gap-1">
      <Button disabled={nothingToMerge} onClick={() => onMerge(file)} title={`${labels.merge} (m)`}>
        {labels.merge}
      </Button>
      <Button
        disabled={nothingToMerge}
        onClick={() => void actions.force(file.path)}
        title={`${labels.forceHint(replaced)} (Shift+F)`}
      >
        {labels.force}
      </Button>
      <Button
        tone="danger"
        disabled={actions.command.busy}
        onClick={() => void actions.discard([file.path])}
        title={`${labels.discard} (Delete)`}
      >
        {labels.discard}
      </Button>
    </AriaElement>
  )
}

const appearances = {
  clean: { Icon: Check, colour: 'text-good' },
  mergeable: { Icon: GitMerge, colour: 'text-warn' },
  conflict: { Icon: TriangleAlert, colour: 'text-bad' },
  identical: { Icon: Equal, colour: 'text-muted' },
} as const

/** Says that a file is merged, by whom and when. */
function MergedMark({ branch, merge }: { branch: Branch; merge: MergeNote }): ReactNode {
  const at = useApp(
    ({ timeline }) => timeline.branches.get(branch.id)?.find(({ sequence }) => sequence === merge.sequence)?.at,
  )
  const agent = useApp(({ project }) => {
    const parent = branch.parentId && project.branches.get(branch.parentId)
    return parent ? (project.threads.get(parent.threadId)?.agent ?? '') : ''
  })
  const detail = labels.mergedBy(
    merge.by === 'person' ? strings.chat.you : agent,
    at === undefined ? '' : formatTime(at),
  )
  return (
    <span title={detail} className="flex items-center gap-1 text-good">
      <GitMerge size={13} aria-hidden />
      {labels.mergedFile}
      <span className="sr-only">{detail}</span>
    </span>
  )
}

interface MergeStatusMarkProps {
  readonly status: BranchFile['status']
  /** Unmerged branches that change the same lines. */
  readonly partners: readonly string[]
}

/** How the file stands to the parent now, with a mark where another branch will make a conflict of it. */
function MergeStatusMark({ status, partners }: MergeStatusMarkProps): ReactNode {
  const { Icon, colour } = appearances[status]
  const overlap = partners.length > 0 && status !== 'conflict' ? strings.branchList.overlapFile(partners) : ''
  return (
    <span title={overlap || undefined} className={classNames('flex items-center gap-1', colour)}>
      <Icon size={13} aria-hidden />
      {strings.common.merge[status]}
      {overlap !== '' && (
        <>
          <TriangleAlert size={12} aria-hidden className="shrink-0 text-warn" />
          <span className="sr-only">{overlap}</span>
        </>
      )}
    </span>
  )
}
