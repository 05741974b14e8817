import { unknownCheck } from '#core/checks/project-checks.ts'
import { findBranch } from '#core/commands/branches.ts'
import { unwrap } from '#core/commands/command.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { viewBisect } from './view-bisect.ts'

/** The search for the step that broke a check. What it found so far is told by events of its checks. */
export function bisectHandlers(os: Implementer, { options, projects }: Pick<HostParts, 'options' | 'projects'>) {
  return {
    bisect: os.checks.bisect.handler(async ({ input: { projectId, branchId, check, isFlaky } }) => {
      const { services, checks } = projects.get(projectId)
      unwrap(findBranch(services, branchId))
      const all = checks.runs.definitions()
      if (!all.some(({ name }) => name === check)) throw new WireError('NOT_FOUND', unknownCheck(check, all))
      const request = { branchId, check, isFlaky, atOnce: 1 }
      checks.bisects.run(request, new AbortController().signal).catch((error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'AbortError')
          options.log('The search for the step that broke a check failed', error)
      })
    }),
    bisectOf: os.checks.bisectOf.handler(async ({ input: { projectId, branchId } }) => {
      const project = projects.get(projectId)
      unwrap(findBranch(project.services, branchId))
      const bisect = project.checks.bisects.view(branchId)
      return bisect && viewBisect(project, bisect)
    }),
    cancelBisect: os.checks.cancelBisect.handler(async ({ input }) =>
      projects.get(input.projectId).checks.bisects.cancel(input.branchId),
    ),
  }
}
