import { GitMerge, MessageSquare, RotateCcw, ShieldCheck, Trash2, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BranchSurvey, BranchReview as Review } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import { BranchFolder } from '../parts/checkouts/branch-folder.tsx'
import { ChecksButton } from '../parts/checks/checks-button.tsx'
import { useGreenMerges } from '../parts/checks/use-green-merges.ts'
import { StatusMark } from '../parts/marks.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useChecks } from '../state/hooks/use-checks.ts'
import { showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { overlapText } from './list/conflict-words.ts'
import { cleanPaths, mergedPaths, preflight } from './review-logic.ts'
import type { useBranchActions } from './use-branch-actions.ts'

const labels = strings.branches

interface ReviewHeaderProps {
  readonly branch: Branch
  readonly review: Review
  readonly survey: BranchSurvey | undefined
  readonly actions: ReturnType<typeof useBranchActions>
}

export function ReviewHeader({ branch, review, survey, actions }: ReviewHeaderProps): ReactNode {
  const thread = useApp((state) => state.project.threads.get(branch.threadId))
  const updateUi = useUpdateUi()
  const clean = cleanPaths(review.files)
  const overlap = useApp((app) => overlapText(app, survey))
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-1.5">
      <h2 className="font-semibold">
        <VisibleText text={branch.name} />
      </h2>
      {thread && <StatusMark status={thread.status} />}
      <ChecksButton branchId={branch.id} name={branch.name} />
      <p className="text-muted">{preflight(review.files, mergedPaths(branch))}</p>
      {overlap !== '' && (
        <p className="flex min-w-0 items-center gap-1 text-warn">
          <TriangleAlert size={13} aria-hidden className="shrink-0" />
          <VisibleText text={overlap} />
        </p>
      )}
      <span className="ml-auto flex flex-wrap gap-2">
        <Button
          tone="quiet"
          icon={<MessageSquare size={14} aria-hidden />}
          onClick={() => updateUi((ui) => showThread(ui, branch.threadId))}
        >
          {labels.openChat}
        </Button>
        {branch.status === 'discarded' ? (
          <Button icon={<RotateCcw size={14} aria-hidden />} onClick={() => void actions.restore()}>
            {labels.restore}
          </Button>
        ) : (
          <>
            <BranchFolder branchId={branch.id} name={branch.name} />
            <Button
              tone="danger"
              icon={<Trash2 size={14} aria-hidden />}
              disabled={actions.command.busy}
              onClick={() => void actions.discard(null)}
            >
              {labels.discardBranch}
            </Button>
            <MergeWhenGreen
              branch={branch}
              isReady={review.files.some(({ status }) => status === 'clean' || status === 'mergeable')}
            />
            <Button
              tone="primary"
              icon={<GitMerge size={14} aria-hidden />}
              disabled={actions.command.busy || clean.length === 0}
              title={overlap === '' ? undefined : strings.branchList.overlapHint(overlap)}
              onClick={() => void actions.merge(clean, 'refuse')}
            >
              {labels.mergeAll}
            </Button>
          </>
        )}
      </span>
    </header>
  )
}

/** Queues the branch to be merged when its checks pass. Nothing when the project has none. */
function MergeWhenGreen({ branch, isReady }: { branch: Branch; isReady: boolean }): ReactNode {
  const [checks] = useChecks()
  const { command, merge } = useGreenMerges()
  if (!checks || checks.checks.length === 0) return null
  return (
    <>
      <Button
        icon={<ShieldCheck size={14} aria-hidden />}
        disabled={command.busy || !isReady}
        title={strings.checks.merge.oneHint}
        onClick={() => void merge([branch.id])}
      >
        {strings.checks.merge.one}
      </Button>
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </>
  )
}
