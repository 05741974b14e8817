import { environmentOf } from '#core/branches/branch-trees.ts'
import type { LeftInGit } from '#shared/contract/views/branches.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { Project } from '../project/project.ts'

/** What commands of a branch left in git: commits of their own, and repositories that they made. */
export async function findLeftInGit({ services: { log, mounts } }: Project, branchId: BranchId): Promise<LeftInGit> {
  const layers = environmentOf(log.trees, branchId)
  const [commits, made] = await Promise.all([mounts.findCommits(layers), mounts.findRepositories(layers)])
  return { commits, repositories: made.map(({ folder }) => folder) }
}
