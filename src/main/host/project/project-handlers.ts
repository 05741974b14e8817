import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { listFolders } from './project-folders.ts'

export function projectHandlers(os: Implementer, { projects, registry, settings }: HostParts) {
  return {
    open: os.projects.open.handler(async ({ input }) => (await projects.open(input.path)).info()),
    openDemo: os.projects.openDemo.handler(async () => (await projects.openDemo()).info()),
    openScratch: os.projects.openScratch.handler(async () => (await projects.openScratch()).info()),
    reopen: os.projects.reopen.handler(async ({ input }) => (await projects.reopen(input.projectId)).info()),
    opening: os.projects.opening.handler(async () => projects.opening()),
    trust: os.projects.trust.handler(async ({ input }) => projects.setTrusted(input.projectId, input.trusted)),
    restoreBackup: os.projects.restoreBackup.handler(({ input }) => projects.restoreBackup(input.projectId)),
    folders: os.projects.folders.handler(({ input }) =>
      listFolders(projects.get(input.projectId), settings.read().folders),
    ),
    addFolder: os.projects.addFolder.handler(({ input: { projectId, ...folder } }) =>
      projects.addFolder(projectId, folder),
    ),
    removeFolder: os.projects.removeFolder.handler(({ input }) => projects.removeFolder(input.projectId, input.path)),
    forget: os.projects.forget.handler(async ({ input }) => registry.forget(input.path)),
  }
}
