import type { BranchSurvey } from '#shared/contract/views/branches.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { authorIn } from '../../state/hooks/use-author-names.ts'
import type { AppState } from '../../state/store/app-state.ts'
import { strings } from '../../strings/strings.ts'
import type { WorkItem } from './work-list.ts'

const labels = strings.branchList

/** Names the first conflict of a branch with its parent: with whom, and in which file. Empty for none. */
export function conflictText(app: AppState, { branch, survey }: WorkItem): string {
  const [path] = survey?.conflicts ?? []
  if (path === undefined) return ''
  const partner = authorIn(app, branch.parentId, path) || strings.branches.workspace
  return labels.conflictWith(partner, path.slice(path.lastIndexOf('/') + 1), (survey?.conflicts.length ?? 1) - 1)
}

/** Says which unmerged branches change the same lines, and in how many files. Empty for none. */
export function overlapText(app: AppState, survey: BranchSurvey | undefined): string {
  const rivals = survey?.rivals ?? []
  const partners = [...new Set(rivals.map(({ branchId }) => branchId))]
  const [first] = partners
  if (first === undefined) return ''
  const files = new Set(rivals.map(({ path }) => path)).size
  return labels.overlap(nameIn(app, first), partners.length - 1, files)
}

/** What stands beside a branch: its conflict, or the one that will come. Empty if it merges in any order. */
export function troubleText(app: AppState, item: WorkItem): string {
  const conflict = conflictText(app, item)
  if (conflict !== '') return conflict
  const overlap = overlapText(app, item.survey)
  return overlap === '' ? '' : labels.cleanNow(overlap)
}

/** The names of the branches that change the same lines of a file. */
export function partnersIn(app: AppState, survey: BranchSurvey | undefined, path: string): readonly string[] {
  return (survey?.rivals ?? []).flatMap((rival) => (rival.path === path ? [nameIn(app, rival.branchId)] : []))
}

function nameIn(app: AppState, id: BranchId): string {
  return app.project.branches.get(id)?.name ?? ''
}
