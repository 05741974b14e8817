import { GitBranch } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp, useAppList, useUpdateView } from '../state/hooks.tsx'
import { activeBranches } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'
import { Empty } from '../ui/notice.tsx'
import { BranchReview } from './branch-review.tsx'
import { BranchTree } from './branch-tree.tsx'

const words = strings.branches
const BranchGraph = lazy(async () => ({ default: (await import('./branch-graph.tsx')).BranchGraph }))

/** All branches of the thread, as a tree and over time, and the review of the one that is chosen. */
export function BranchesScreen(): ReactNode {
  const branches = useAppList(activeBranches)
  const choice = useApp((state) => state.view.branch)
  const updateView = useUpdateView()
  const subagents = branches.filter(({ parentId }) => parentId !== null)
  const fallback = subagents.find(({ status }) => status === 'open') ?? subagents[0]
  const selected = branches.find(({ id }) => id === choice) ?? fallback ?? null
  const select = (id: BranchId): void => updateView((view) => ({ ...view, branch: id }))
  if (subagents.length === 0) {
    return <Empty icon={<GitBranch size={24} aria-hidden />} title={words.emptyTitle} detail={words.emptyDetail} />
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-auto">
      <div className="grid h-56 shrink-0 border-line border-b max-md:h-auto md:grid-cols-[minmax(12rem,30%)_minmax(0,1fr)]">
        <div className="min-h-0 overflow-auto border-line max-md:max-h-44 md:border-r">
          <BranchTree branches={branches} selected={selected?.id ?? null} onSelect={select} />
        </div>
        <div className="min-h-0 max-md:h-44 max-md:border-line max-md:border-t">
          <Suspense fallback={<p className="p-3 text-muted">{strings.common.loading}</p>}>
            <BranchGraph branches={branches} selected={selected?.id ?? null} onSelect={select} />
          </Suspense>
        </div>
      </div>
      {selected?.parentId ? (
        <BranchReview key={selected.id} branch={selected} />
      ) : (
        <p className="p-4 text-muted">{words.workspaceDetail}</p>
      )}
    </div>
  )
}
