import { findApplyTarget } from '#core/commands/apply.ts'
import { unwrap } from '#core/commands/command.ts'
import { findDeliveries } from '#core/delivery/find-deliveries.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { findLeftInGit } from '../changes/left-in-git.ts'
import { deliver, undoDelivery } from './deliver.ts'
import { deliverFromAgents } from './deliver-from-agents.ts'
import { prepareDeliveries } from './prepare-delivery.ts'
import { proposeMessages } from './propose-messages.ts'
import { publish } from './publish.ts'

/** A person's commands on the way from a workspace to a branch of git. */
export function deliveryHandlers(os: Implementer, { projects }: HostParts) {
  return {
    plan: os.deliveries.plan.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      using opened = new DisposableStack()
      const prepared = await prepareDeliveries(project, input, opened)
      const { commits: ofAgents } = await findLeftInGit(project, input.branchId)
      return { plans: prepared.map(({ plan }) => plan), ofAgents }
    }),
    propose: os.deliveries.propose.handler(({ input, signal }) =>
      proposeMessages(projects.get(input.projectId), input, signal),
    ),
    make: os.deliveries.make.handler(({ input, signal }) =>
      deliver(projects.get(input.projectId), { ...input, signal }),
    ),
    makeFromAgents: os.deliveries.makeFromAgents.handler(({ input }) =>
      deliverFromAgents(projects.get(input.projectId), input),
    ),
    undo: os.deliveries.undo.handler(({ input }) =>
      undoDelivery(projects.get(input.projectId), input.branchId, input.sequence),
    ),
    list: os.deliveries.list.handler(({ input }) => {
      const { log } = projects.get(input.projectId).services
      return findDeliveries(log, unwrap(findApplyTarget(log, input.branchId)).threadId)
    }),
    publish: os.deliveries.publish.handler(({ input, signal }) =>
      publish(projects.get(input.projectId), { ...input, signal }),
    ),
  }
}
