import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'

export function projectHandlers(os: Implementer, { projects, registry }: HostParts) {
  return {
    open: os.projects.open.handler(async ({ input }) => (await projects.open(input.path)).info()),
    openDemo: os.projects.openDemo.handler(async () => (await projects.openDemo()).info()),
    openScratch: os.projects.openScratch.handler(async () => (await projects.openScratch()).info()),
    reopen: os.projects.reopen.handler(async ({ input }) => (await projects.reopen(input.projectId)).info()),
    opening: os.projects.opening.handler(async () => projects.opening()),
    trust: os.projects.trust.handler(async ({ input }) => projects.setTrusted(input.projectId, input.trusted)),
    restoreBackup: os.projects.restoreBackup.handler(({ input }) => projects.restoreBackup(input.projectId)),
    forget: os.projects.forget.handler(async ({ input }) => registry.forget(input.path)),
  }
}
