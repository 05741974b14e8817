import { FolderGit2, GitCommitHorizontal } from 'lucide-react'
import type { ReactNode } from 'react'
import type { LeftInGit as Left } from '#shared/contract/views/branches.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { isWithin } from '#shared/model/virtual-path.ts'
import { commitsText } from '#shared/tools/commit-words.ts'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { activeRoot } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = strings.changes

const nothing: Left = { commits: [], repositories: [] }

/** What agents left in git alone. Nothing until it is known. */
export function useLeftInGit(branchId: BranchId): Left {
  const projectId = useProjectId()
  const calls = useApp((state) => activeRoot(state)?.calls.size ?? 0)
  const [{ value }] = useQuery('changes.leftInGit', { projectId, branchId }, calls)
  return value ?? nothing
}

interface LeftInGitProps {
  readonly left: Left
  readonly changes: readonly FileChange[]
}

/**
 * Names what agents left in git alone, which is no change of a file: commits, stashes, and repositories without a change in
 * them. A repository with changes has a row in their tree.
 */
export function LeftInGit({ left, changes }: LeftInGitProps): ReactNode {
  const { commits } = left
  const repositories = left.repositories.filter((folder) => !changes.some(({ path }) => isWithin(path, folder)))
  return commits.length + repositories.length === 0 ? null : (
    <ul aria-label={labels.leftInGit} className="border-line border-b bg-panel px-3 py-1">
      {repositories.map((folder) => (
        <Line
          key={folder}
          icon={<FolderGit2 size={14} aria-hidden className="mt-0.5 shrink-0" />}
          text={labels.newRepository(folder)}
        />
      ))}
      {commits.length > 0 && (
        <Line
          icon={<GitCommitHorizontal size={14} aria-hidden className="mt-0.5 shrink-0" />}
          text={labels.madeCommits(commitsText(commits))}
        />
      )}
    </ul>
  )
}

function Line({ icon, text }: { readonly icon: ReactNode; readonly text: string }): ReactNode {
  return (
    <li className="flex items-start gap-2 text-muted [overflow-wrap:anywhere]">
      {icon}
      <VisibleText text={text} />
    </li>
  )
}
