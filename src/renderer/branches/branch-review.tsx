import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef, useState } from 'react'
import type { BranchSurvey, BranchReview as Review } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { CheckoutList } from '../parts/checkouts/checkout-list.tsx'
import { ProcessList } from '../parts/processes/process-list.tsx'
import { RunScripts } from '../parts/processes/run-scripts.tsx'
import { useProcesses } from '../parts/processes/use-processes.ts'
import { useScripts } from '../parts/processes/use-scripts.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { CommentBar } from '../parts/review/comment-bar.tsx'
import { useReview } from '../parts/review/use-review.ts'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useFollowDrift } from '../state/hooks/use-branch-file.ts'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import type { HunkSteps } from '../ui/diff/virtual-diff.tsx'
import { AriaElement } from '../ui/react/elements.tsx'
import { hunkStep } from '../ui/react/keys.ts'
import { BranchFiles, type FocusFile } from './branch-files.tsx'
import { ConflictView } from './conflict/conflict-view.tsx'
import { FileReview } from './file-review.tsx'
import { MergeHistory } from './merge-history.tsx'
import { ReviewHeader } from './review-header.tsx'
import { useBranchActions } from './use-branch-actions.ts'

const labels = strings.branches

interface BranchReviewProps {
  readonly branch: Branch
  /** How the branch stands to its parent and to other branches; undefined until the host has answered. */
  readonly survey: BranchSurvey | undefined
  /** True if the first file takes the focus once the files are listed. */
  readonly takesFocus: boolean
}

/** Reviews one branch: its files, how each compares with the workspace, and the commands for them. */
export const BranchReview = memo(function BranchReview(props: BranchReviewProps): ReactNode {
  const { branch, survey, takesFocus } = props
  const projectId = useProjectId()
  useFollowDrift(branch.id)
  const version = useApp((state) =>
    Math.max(
      state.timeline.versions.get(branch.id) ?? 0,
      branch.parentId ? (state.timeline.versions.get(branch.parentId) ?? 0) : 0,
    ),
  )
  const [review, reload] = useQuery('branches.review', { projectId, branchId: branch.id }, version)
  return (
    <section aria-label={labels.review(branch.name)} className="flex min-h-0 flex-1 flex-col">
      {review.state === 'failed' && <RefusalNotice refusal={review.refusal} onRetry={reload} />}
      {review.state === 'loading' && !review.value && <Waiting label={strings.common.loading} />}
      {review.value && <ReviewBody branch={branch} review={review.value} survey={survey} takesFocus={takesFocus} />}
    </section>
  )
})

function ReviewBody({ branch, review, survey, takesFocus }: BranchReviewProps & { review: Review }): ReactNode {
  const actions = useBranchActions(branch)
  const [chosen, setChosen] = useReviewedFile(branch.id)
  const steps = useRef<HunkSteps>(null)
  const comments = useReview(branch.id)
  const file = review.files.find(({ path }) => path === chosen) ?? null
  const grid = useRef<FocusFile>(null)
  useEffect(() => {
    if (takesFocus) grid.current?.focus(null)
  }, [takesFocus])
  const [entered, setEntered] = useState<VirtualPath | null>(null)
  function enter(path: VirtualPath): void {
    setChosen(path)
    setEntered(path)
  }
  /** Goes on with the next conflict, or back to the list. */
  function goOn(path: VirtualPath): void {
    const next = review.files.find((one) => one.status === 'conflict' && one.path !== path)
    if (next) enter(next.path)
    else {
      setChosen(null)
      grid.current?.focus(path)
    }
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const by = hunkStep(event.nativeEvent)
    if (by) steps.current?.step(by)
  }
  return (
    <>
      <ReviewHeader branch={branch} review={review} survey={survey} actions={actions} />
      {actions.command.refusal && (
        <div className="p-2">
          <RefusalNotice refusal={actions.command.refusal} />
        </div>
      )}
      <CheckoutList branchId={branch.id} />
      <CommentBar review={comments} onShow={setChosen} />
      <AriaElement
        role="group"
        aria-label={labels.reviewFiles}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-auto"
      >
        <BranchFiles
          ref={grid}
          branch={branch}
          files={review.files}
          survey={survey}
          chosen={chosen}
          onChoose={setChosen}
          onEnter={enter}
          actions={actions}
        />
        {file && (
          <div key={file.path} className="border-line border-t">
            {file.status === 'conflict' && (
              <ConflictView
                branch={branch}
                path={file.path}
                actions={actions}
                takesFocus={entered === file.path}
                onDone={() => goOn(file.path)}
              />
            )}
            <FileReview branch={branch} file={file} actions={actions} steps={steps} comments={comments} />
          </div>
        )}
        <MergeHistory branch={branch} />
        <BranchProcesses branch={branch} />
      </AriaElement>
    </>
  )
}

/** What the branch's agent runs in the background, or ran, and what a person can start. */
function BranchProcesses({ branch }: { branch: Branch }): ReactNode {
  const processes = useProcesses().filter(({ branchId }) => branchId === branch.id)
  const runs = useScripts()?.runs ?? []
  const isOpen = branch.status === 'open'
  if (processes.length === 0 && !(isOpen && runs.length > 0)) return null
  const label = strings.processes.titleOf(branch.name)
  return (
    <section aria-label={label} className="border-line border-t">
      <h3 className="px-3 pt-2 pb-1 font-semibold text-xs">{strings.processes.title}</h3>
      <ProcessList label={label} processes={processes} />
      {isOpen && <RunScripts branchId={branch.id} runs={runs} processes={processes} />}
    </section>
  )
}

/** The file that is open in the review. It stays open when the person looks elsewhere and comes back. */
function useReviewedFile(branchId: BranchId) {
  const updateUi = useUpdateUi()
  const chosen = useApp(({ ui }) => (ui.reviewedFile?.branchId === branchId ? ui.reviewedFile.path : null))
  const choose = (path: VirtualPath | null): void =>
    updateUi((ui) => ({ ...ui, reviewedFile: path === null ? null : { branchId, path } }))
  return [chosen, choose] as const
}
