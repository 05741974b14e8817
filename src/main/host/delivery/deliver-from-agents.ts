import { environmentOf } from '#core/branches/branch-trees.ts'
import { findApplyTarget } from '#core/commands/apply.ts'
import { unwrap, write } from '#core/commands/command.ts'
import { DeliveryError } from '#core/ports/git-delivery.ts'
import type { DeliveryReceipt } from '#shared/contract/views/deliveries.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { findCommits } from '../headless/run-report.ts'
import type { Project } from '../project/project.ts'
import { requireHooks } from './deliver.ts'

export interface AgentsDelivery {
  readonly branchId: BranchId
  /** The branch of git. */
  readonly to: string
  /** One of the commits that agents of the thread left in git of their views, by its full id. */
  readonly commit: string
}

/** Delivers a commit that an agent made, as it is. Its parents come along. */
export async function deliverFromAgents(
  project: Project,
  { branchId, to, commit }: AgentsDelivery,
): Promise<DeliveryReceipt> {
  const { services, gitDelivery } = project
  const { threadId } = unwrap(findApplyTarget(services.log, branchId))
  const found = (await findCommits(project, threadId)).find(({ id }) => id === commit)
  if (!found) throw new DeliveryError('not_found', `The agents of this thread left no commit ${commit.slice(0, 10)}.`)
  await requireHooks(project, { branchId, to }, [{ message: found.subject }])
  const owners = project.family(threadId).map((member) => environmentOf(services.log.trees, member.branchId))
  const objects = await Promise.all(owners.map((layers) => services.mounts.findObjects(layers, found.repository)))
  const repository = found.repository.slice(1)
  using opened = await gitDelivery.open({ repository, branch: to, base: null, began: null })
  const { ground } = opened
  const commits = await opened.deliverMade(commit, [...new Set(objects.flat())])
  const delivery = { branchId, repository, branch: to, before: ground.tip, base: ground.base, commits, files: 0 }
  const { sequence } = project.change(write([{ type: 'thread.delivered', threadId, delivery }]))
  return { ...delivery, sequence }
}
