import { GitBranch } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp, useAppList, useUpdateUi } from '../state/hooks/hooks.tsx'
import { activeBranches } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Empty } from '../ui/controls/notice.tsx'
import { BranchReview } from './branch-review.tsx'
import { BranchMap } from './graph/branch-map.tsx'
import { useComparison } from './use-comparison.tsx'

const labels = strings.branches

/** All branches of the thread as a tree and a graph, and the review of the selected one. */
export function BranchesScreen(): ReactNode {
  const branches = useAppList(activeBranches)
  const choice = useApp((state) => state.ui.branch)
  const updateUi = useUpdateUi()
  const subagents = branches.filter(({ parentId }) => parentId !== null)
  const fallback = subagents.find(({ status }) => status === 'open') ?? subagents[0]
  const selected = branches.find(({ id }) => id === choice) ?? fallback ?? null
  const select = (id: BranchId): void => updateUi((ui) => ({ ...ui, branch: id }))
  const comparing = useComparison(branches, select)
  if (subagents.length === 0) {
    return <Empty icon={<GitBranch size={24} aria-hidden />} title={labels.emptyTitle} detail={labels.emptyDetail} />
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex max-h-[min(17rem,42%)] shrink-0 border-line border-b">
        <BranchMap
          branches={branches}
          selected={selected?.id ?? null}
          onSelect={select}
          chosen={comparing.chosen}
          onChoose={comparing.choose}
          onReach={comparing.reach}
        />
      </div>
      {comparing.bar}
      <div className="flex min-h-0 flex-1 flex-col overflow-auto">
        {comparing.comparison ??
          (selected?.parentId ? (
            <BranchReview key={selected.id} branch={selected} />
          ) : (
            <p className="p-4 text-muted">{labels.workspaceDetail}</p>
          ))}
      </div>
    </div>
  )
}
