import { unwrap } from '#core/commands/command.ts'
import { archiveThread, deleteThread, findRootThread, pinThread, restoreThread } from '#core/commands/threads.ts'
import type { HostParts } from '../composition/host-parts.ts'
import type { Implementer } from '../composition/router.ts'
import { searchMessages } from '../queries/search-messages.ts'

/** Commands that change a thread's place in the list, and searches over threads. */
export function threadListHandlers(os: Implementer, { projects }: HostParts) {
  return {
    pin: os.threads.pin.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      run(pinThread(services, input.threadId, input.pinned))
    }),
    archive: os.threads.archive.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      run(archiveThread(services, input.threadId, input.archived))
    }),
    delete: os.threads.delete.handler(async ({ input }) => {
      const { services, runtime, run } = projects.get(input.projectId)
      unwrap(findRootThread(services.log, input.threadId))
      await runtime.suspend(input.threadId)
      run(deleteThread(services, input.threadId))
    }),
    restore: os.threads.restore.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      run(restoreThread(services, input.threadId))
    }),
    search: os.threads.search.handler(async ({ input }) =>
      searchMessages(projects.get(input.projectId).services, input.query, input.limit),
    ),
  }
}
