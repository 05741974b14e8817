import { unwrap } from '#core/commands/command.ts'
import {
  deleteUserMemory,
  findUserMemoryVersion,
  restoreUserMemory,
  undoUserMemory,
  writeUserMemory,
} from '#core/commands/memory-user.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { searchUserMemory, userMemoriesView } from './user-memories.ts'

export function userMemoryHandlers(os: Implementer, { projects, settings }: HostParts) {
  return {
    list: os.userMemory.list.handler(async ({ input }) => {
      const { services } = projects.get(input.projectId)
      return userMemoriesView(services, settings.read().agents.userMemory)
    }),
    write: os.userMemory.write.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return { sequence: run(writeUserMemory(services, input)).sequence }
    }),
    delete: os.userMemory.delete.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return { sequence: run(deleteUserMemory(services, input)).sequence }
    }),
    restore: os.userMemory.restore.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return { sequence: run(restoreUserMemory(services, input)).sequence }
    }),
    undo: os.userMemory.undo.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return { sequence: run(undoUserMemory(services, input)).sequence }
    }),
    version: os.userMemory.version.handler(async ({ input }) => {
      const { services } = projects.get(input.projectId)
      return { text: unwrap(findUserMemoryVersion(services, input.name, input.sequence)) }
    }),
    search: os.userMemory.search.handler(async ({ input }) =>
      searchUserMemory(projects.get(input.projectId).services, input.query),
    ),
    switch: os.userMemory.switch.handler(async ({ input }) => {
      settings.put(['memory', 'user'], input.on)
      return { on: settings.read().agents.userMemory }
    }),
  }
}
