import { unknownCheck } from '#core/checks/project-checks.ts'
import { findBranch } from '#core/commands/branches.ts'
import { unwrap } from '#core/commands/command.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'

/** The search for what a check needs of a branch's change. How far it is is told by events of its checks. */
export function neededHandlers(os: Implementer, { projects }: Pick<HostParts, 'projects'>) {
  return {
    needed: os.checks.needed.handler(async ({ input: { projectId, branchId, check } }) => {
      const { services, checks } = projects.get(projectId)
      unwrap(findBranch(services, branchId))
      const all = checks.runs.definitions()
      if (!all.some(({ name }) => name === check)) throw new WireError('NOT_FOUND', unknownCheck(check, all))
      checks.needed.start(branchId, check)
    }),
    neededOf: os.checks.neededOf.handler(async ({ input: { projectId, branchId } }) => {
      const { services, checks } = projects.get(projectId)
      unwrap(findBranch(services, branchId))
      return checks.needed.view(branchId)
    }),
    cancelNeeded: os.checks.cancelNeeded.handler(async ({ input }) =>
      projects.get(input.projectId).checks.needed.cancel(input.branchId),
    ),
    removeUnneeded: os.checks.removeUnneeded.handler(async ({ input: { projectId, branchId } }) => {
      const project = projects.get(projectId)
      return { sequence: project.change(project.checks.needed.remove(branchId)).sequence }
    }),
  }
}
