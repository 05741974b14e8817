import { ArrowLeft, Undo2 } from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import type { FileDiff as Diff } from '#shared/contract/views/files.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { AuthorMark } from '../parts/agent-mark.tsx'
import { FileDiff } from '../parts/file-diff.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { diffCommentsOf } from '../parts/review/diff-comments-of.tsx'
import type { Review } from '../parts/review/use-review.ts'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { useAuthorNames } from '../state/hooks/use-author-names.ts'
import { useLoadText } from '../state/hooks/use-branch-file.ts'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import type { HunkSteps } from '../ui/diff/virtual-diff.tsx'
import { DiskConflict, type RenderConflict } from './disk-conflict.tsx'
import { type ChangeActions, useChangeActions } from './use-change-actions.ts'

const labels = strings.changes
const driftLabels = strings.drift

interface ChangedFileProps {
  readonly branchId: BranchId
  readonly change: FileChange
  readonly renderConflict: RenderConflict
  readonly steps: RefObject<HunkSteps | null>
  readonly comments: Review
}

/** One changed file: its diff, and the choices if the file changed on disk. */
export function ChangedFile({ branchId, change, renderConflict, steps, comments }: ChangedFileProps): ReactNode {
  const actions = useChangeActions(branchId)
  const drift = useApp((state) => state.live.drifts.get(branchId)?.get(change.path))
  const [comparing, setComparing] = useState(false)
  const close = (): void => setComparing(false)
  return (
    <div className="flex min-h-0 min-w-0 flex-col overflow-y-auto border-line max-md:border-t">
      {actions.command.refusal && <RefusalNotice refusal={actions.command.refusal} />}
      {drift && !comparing && <DriftNotice drift={drift} actions={actions} onCompare={() => setComparing(true)} />}
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
        <LoadedDiff branchId={branchId} change={change} actions={actions} steps={steps} comments={comments} />
      )}
    </div>
  )
}

interface LoadedDiffProps extends Omit<ChangedFileProps, 'renderConflict'> {
  readonly actions: ChangeActions
}

function LoadedDiff({ branchId, change, actions, steps, comments }: LoadedDiffProps): ReactNode {
  const projectId = useProjectId()
  const { path } = change
  const version = useApp((state) => state.timeline.versions.get(branchId) ?? 0)
  const [diff, reload] = useQuery('changes.diff', { projectId, branchId, path }, version)
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
          disabled={actions.command.busy}
          onClick={() => void actions.revertHunk(value, hunk)}
        >
          {labels.revertHunk}
        </Button>
      )
    : undefined
  return (
    <FileDiff
      label={labels.diffOf(path)}
      diff={value}
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
            disabled={actions.command.busy}
            onClick={() => void actions.revert([path])}
          >
            {labels.revert}
          </Button>
        </>
      }
    />
  )
}

function isChoosable(diff: Diff): diff is Diff & { readonly fingerprint: string } {
  return diff.fingerprint !== null
}

interface DriftNoticeProps {
  readonly drift: Drift
  readonly actions: ChangeActions
  readonly onCompare: () => void
}

/** Says how the file changed on disk, and offers the ways to go on. */
function DriftNotice({ drift, actions, onCompare }: DriftNoticeProps): ReactNode {
  const isText = drift.kind === 'changed' || drift.kind === 'appeared'
  const { busy } = actions.command
  return (
    <div className="p-2">
      <Notice
        tone="warning"
        title={driftLabels.title(drift)}
        detail={driftLabels.detail[drift.since]}
        actions={
          <>
            <Button onClick={onCompare}>{driftLabels.compare}</Button>
            {isText && (
              <Button disabled={busy} onClick={() => void actions.join(drift.path, onCompare)}>
                {driftLabels.join}
              </Button>
            )}
            <Button tone="danger" disabled={busy} onClick={() => void actions.takeDisk(drift.path)}>
              {driftLabels.takeDisk}
            </Button>
          </>
        }
      />
    </div>
  )
}
