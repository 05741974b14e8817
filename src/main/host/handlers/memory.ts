import type { HostParts } from '../composition/host-parts.ts'
import type { Implementer } from '../composition/router.ts'
import { deleteMemory, memoryVersion, restoreMemory, searchMemory, writeMemory } from '../memory.ts'
import { exportMemory, importMemory, planExport, planImport } from '../storage/transfer-memory.ts'

export function memoryHandlers(os: Implementer, { projects }: HostParts) {
  return {
    write: os.memory.write.handler(async ({ input }) => writeMemory(projects.get(input.projectId), input)),
    delete: os.memory.delete.handler(async ({ input }) => deleteMemory(projects.get(input.projectId), input)),
    restore: os.memory.restore.handler(async ({ input }) => restoreMemory(projects.get(input.projectId), input)),
    version: os.memory.version.handler(async ({ input }) => ({
      text: memoryVersion(projects.get(input.projectId), input.name, input.sequence),
    })),
    search: os.memory.search.handler(async ({ input }) => searchMemory(projects.get(input.projectId), input.query)),
    planImport: os.memory.planImport.handler(({ input }) => planImport(projects.get(input.projectId), input.folder)),
    import: os.memory.import.handler(({ input }) => importMemory(projects.get(input.projectId), input)),
    planExport: os.memory.planExport.handler(({ input }) => planExport(projects.get(input.projectId), input.folder)),
    export: os.memory.export.handler(({ input }) => exportMemory(projects.get(input.projectId), input)),
  }
}
