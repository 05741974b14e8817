import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'

export function storageHandlers(os: Implementer, { projects }: HostParts) {
  return {
    view: os.storage.view.handler(({ input }) => projects.get(input.projectId).storage.view()),
    cleanUp: os.storage.cleanUp.handler(async ({ input }) => ({
      freed: await projects.get(input.projectId).storage.cleanUp(new Set(input.kinds)),
    })),
    dropEnvironment: os.storage.dropEnvironment.handler(async ({ input }) => ({
      freed: await projects.get(input.projectId).storage.dropEnvironment(input.threadId),
    })),
    dropSetup: os.storage.dropSetup.handler(async ({ input }) => ({
      freed: await projects.get(input.projectId).storage.dropSetup(),
    })),
  }
}
