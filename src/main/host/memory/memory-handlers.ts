import { unwrap } from '#core/commands/command.ts'
import { deleteMemory, findMemoryVersion, restoreMemory, writeMemory } from '#core/commands/memory.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { searchMemory } from '../threads/search-messages.ts'
import { exportMemory, importMemory, planExport, planImport } from './transfer-memory.ts'

export function memoryHandlers(os: Implementer, { projects }: HostParts) {
  return {
    write: os.memory.write.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return { sequence: run(writeMemory(services, input)).sequence }
    }),
    delete: os.memory.delete.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return { sequence: run(deleteMemory(services, input)).sequence }
    }),
    restore: os.memory.restore.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return { sequence: run(restoreMemory(services, input)).sequence }
    }),
    version: os.memory.version.handler(async ({ input }) => {
      const { log } = projects.get(input.projectId).services
      return { text: unwrap(findMemoryVersion(log, input.name, input.sequence)) }
    }),
    search: os.memory.search.handler(async ({ input }) =>
      searchMemory(projects.get(input.projectId).services, input.query),
    ),
    planImport: os.memory.planImport.handler(({ input }) => planImport(projects.get(input.projectId), input.folder)),
    import: os.memory.import.handler(({ input }) => importMemory(projects.get(input.projectId), input)),
    planExport: os.memory.planExport.handler(({ input }) => planExport(projects.get(input.projectId), input.folder)),
    export: os.memory.export.handler(({ input }) => exportMemory(projects.get(input.projectId), input)),
  }
}
