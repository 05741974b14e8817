import { GitMerge, Trash2 } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import type { BranchFile } from '#shared/contract/views/branches.ts'
import type { FileDiff as Diff } from '#shared/contract/views/files.ts'
import type { Branch } from '#shared/model/branch.ts'
import { AuthorMark } from '../parts/agents/agent-mark.tsx'
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
import type { HunkSteps } from '../ui/diff/virtual-diff.tsx'
import type { BranchActions } from './use-branch-actions.ts'

const labels = strings.branches

interface FileReviewProps {
  readonly branch: Branch
  readonly file: BranchFile
  readonly actions: BranchActions
  readonly steps: RefObject<HunkSteps | null>
  readonly comments: Review
}

/** The unmerged changes of a file, one by one. */
export function FileReview({ branch, file, actions, steps, comments }: FileReviewProps): ReactNode {
  const projectId = useProjectId()
  const version = useApp((state) => state.timeline.versions.get(branch.id) ?? 0)
  const [diff, reload] = useQuery('branches.diff', { projectId, branchId: branch.id, path: file.path }, version)
  const author = useAuthorNames(branch.id)(file.path)
  const loadAfter = useLoadText(branch.id, file.path)
  if (diff.state === 'failed') return <RefusalNotice refusal={diff.refusal} onRetry={reload} />
  if (!diff.value) return <Waiting label={strings.common.loading} />
  const hunkActions = hunkActionsOf(diff.value, actions, branch.status === 'open')
  const height = heightOf(diff.value) + heightOfComments(comments, file)
  return (
    <div className="flex flex-col" style={{ height: `min(60vh, ${height}px)` }}>
      <FileDiff
        label={labels.diffOf(file.path)}
        diff={diff.value}
        loadAfter={loadAfter}
        steps={steps}
        aside={<AuthorMark name={author} />}
        comments={branch.status === 'open' ? diffCommentsOf(comments, file.path) : undefined}
        {...(hunkActions && { hunkActions })}
      />
    </div>
  )
}

/** The height in pixels that shows a short diff whole. A long diff scrolls in its own box. */
function heightOf({ hunks }: Diff): number {
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  return 100 + lines * 20 + hunks.length * 56
}

function heightOfComments({ unsent: { comments, form } }: Review, { path }: BranchFile): number {
  const said = comments.filter((comment) => comment.path === path).length
  return said * 48 + (form?.path === path ? 190 : 0)
}

function hunkActionsOf(
  { path, fingerprint }: Diff,
  actions: BranchActions,
  open: boolean,
): ((hunk: number) => ReactNode) | undefined {
  if (fingerprint === null || !open) return undefined
  return (hunk) => (
    <>
      <Button
        tone="quiet"
        icon={<GitMerge size={13} aria-hidden />}
        aria-label={labels.mergeHunkLabel(hunk + 1, path)}
        disabled={actions.command.busy}
        onClick={() => void actions.mergeHunk(path, fingerprint, hunk)}
      >
        {labels.mergeHunk}
      </Button>
      <Button
        tone="quiet"
        icon={<Trash2 size={13} aria-hidden />}
        aria-label={labels.dropHunkLabel(hunk + 1, path)}
        disabled={actions.command.busy}
        onClick={() => void actions.dropHunk(path, fingerprint, hunk)}
      >
        {labels.dropHunk}
      </Button>
    </>
  )
}
