import { ArrowLeft, Undo2 } from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import type { FileDiff } from '#shared/contract/views.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { AuthorMark } from '../state/author-mark.tsx'
import { useApp, useClient, useLoaded, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { diffCommentsOf } from '../state/review/diff-comments-of.tsx'
import type { Review } from '../state/review/use-review.ts'
import { strings } from '../state/strings.ts'
import { useAuthorNames } from '../state/use-author-names.ts'
import { useLoadText } from '../state/use-load-text.ts'
import { Button } from '../ui/button.tsx'
import { FileDiffView } from '../ui/file-diff-view.tsx'
import type { HunkSteps } from '../ui/virtual-diff.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { DiskConflict, type RenderConflict } from './disk-conflict.tsx'
import { DriftNotice } from './drift-notice.tsx'
import { type ChangeActs, useChangeActs } from './use-change-acts.ts'

const labels = strings.changes

export interface ChangedFileProps {
  readonly branchId: BranchId
  readonly change: FileChange
  readonly renderConflict: RenderConflict
  readonly steps: RefObject<HunkSteps | null>
  readonly comments: Review
}

/** One changed file: its diff, hunk by hunk, and what to do when the disk moved on under it. */
export function ChangedFile({ branchId, change, renderConflict, steps, comments }: ChangedFileProps): ReactNode {
  const acts = useChangeActs(branchId)
  const drift = useApp((state) => state.live.drifts.get(branchId)?.get(change.path))
  const [comparing, setComparing] = useState(false)
  const close = (): void => setComparing(false)
  return (
    <div className="flex min-h-0 min-w-0 flex-col overflow-y-auto border-line max-md:border-t">
      {acts.command.refusal && <RefusalNotice refusal={acts.command.refusal} />}
      {drift && !comparing && <DriftNotice drift={drift} acts={acts} onCompare={() => setComparing(true)} />}
      {comparing && drift ? (
        <div>
          <Button tone="quiet" icon={<ArrowLeft size={14} aria-hidden />} className="m-2" onClick={close}>
            {strings.drift.back}
          </Button>
          <DiskConflict
            key={drift.disk}
            branchId={branchId}
            path={change.path}
            renderConflict={renderConflict}
            onDone={close}
          />
        </div>
      ) : (
        <LoadedDiff branchId={branchId} change={change} acts={acts} steps={steps} comments={comments} />
      )}
    </div>
  )
}

interface LoadedDiffProps extends Omit<ChangedFileProps, 'renderConflict'> {
  readonly acts: ChangeActs
}

function LoadedDiff({ branchId, change, acts, steps, comments }: LoadedDiffProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const { path } = change
  const version = useApp((state) => state.timeline.versions.get(branchId) ?? 0)
  const [diff, reload] = useLoaded(`${branchId} ${path} ${version}`, (signal) =>
    client.changes.diff({ projectId, branchId, path }, { signal }),
  )
  const loadAfter = useLoadText(branchId, path)
  const author = useAuthorNames(branchId)(path)
  if (diff.state === 'failed') return <RefusalNotice refusal={diff.refusal} onRetry={reload} />
  if (!diff.value) return <Waiting label={strings.common.loading} />
  const { value } = diff
  const undoHunk = isChoosable(value)
    ? (hunk: number) => (
        <Button
          tone="quiet"
          icon={<Undo2 size={13} aria-hidden />}
          aria-label={labels.revertHunkLabel(hunk + 1, path)}
          disabled={acts.command.busy}
          onClick={() => void acts.revertHunk(value, hunk)}
        >
          {labels.revertHunk}
        </Button>
      )
    : undefined
  return (
    <FileDiffView
      label={labels.diffOf(path)}
      diff={value}
      labels={strings.common}
      loadAfter={loadAfter}
      steps={steps}
      comments={diffCommentsOf(comments, path)}
      {...(undoHunk && { hunkActions: undoHunk })}
      aside={
        <>
          <AuthorMark name={author} />
          <Button
            tone="danger"
            icon={<Undo2 size={14} aria-hidden />}
            aria-label={labels.revertLabel(path)}
            disabled={acts.command.busy}
            onClick={() => void acts.revert([path])}
          >
            {labels.revert}
          </Button>
        </>
      }
    />
  )
}

function isChoosable(diff: FileDiff): diff is FileDiff & { readonly shown: string } {
  return diff.shown !== null
}
