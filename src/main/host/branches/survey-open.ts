import { createPace } from '#adapters/pace.ts'
import { branchSides } from '#core/branches/branch-sides.ts'
import { type SurveyedBranch, surveyBranches } from '#core/branches/survey.ts'
import { readBranch } from '#core/journal/read-thread.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { Project } from '../project/project.ts'

/** What is left to merge of those that are open, and what stands in the way. */
export function surveyOpen(
  { services }: Pick<Project, 'services'>,
  branchIds: readonly BranchId[],
): Promise<readonly SurveyedBranch[]> {
  const { log } = services
  const branches = branchIds.flatMap((id) => readBranch(log, id) ?? [])
  const open = branches.filter(({ status }) => status === 'open')
  return surveyBranches({ ...services, sidesOf: (branch) => branchSides(log.trees, branch) }, open, createPace())
}
