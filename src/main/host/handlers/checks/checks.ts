import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../../composition/host-parts.ts'
import type { Implementer } from '../../composition/router.ts'

/** The answers of a host that knows no checks: there are none, and none can be started. */
export function checkHandlers(os: Implementer, { projects }: HostParts) {
  const { checks } = os
  function refuse(projectId: Parameters<typeof projects.get>[0]): never {
    projects.get(projectId)
    throw new WireError('REFUSED', 'This project has no checks.')
  }
  return {
    list: checks.list.handler(({ input }) => {
      projects.get(input.projectId)
      return { checks: [], problems: [], proposals: [] }
    }),
    accept: checks.accept.handler(({ input }) => refuse(input.projectId)),
    ofBranches: checks.ofBranches.handler(({ input }) => {
      projects.get(input.projectId)
      return []
    }),
    run: checks.run.handler(({ input }) => refuse(input.projectId)),
    cancel: checks.cancel.handler(({ input }) => refuse(input.projectId)),
    result: checks.result.handler(({ input }) => refuse(input.projectId)),
    mergeGreen: checks.mergeGreen.handler(({ input }) => refuse(input.projectId)),
    queue: checks.queue.handler(({ input }) => {
      projects.get(input.projectId)
      return null
    }),
    cancelMerges: checks.cancelMerges.handler(({ input }) => refuse(input.projectId)),
  }
}
