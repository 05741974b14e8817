import type { HostParts } from '../create-host.ts'
import type { Implementer } from '../router.ts'

export function approvalHandlers(os: Implementer, { projects }: HostParts) {
  return {
    decide: os.approvals.decide.handler(async ({ input }) => {
      projects.get(input.projectId).runtime.decide(input.threadId, input.interruptId, input.decisions)
    }),
  }
}
