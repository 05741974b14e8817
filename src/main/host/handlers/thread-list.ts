import type { HostParts } from '../composition/host-parts.ts'
import type { Implementer } from '../composition/router.ts'
import { searchMessages } from '../queries/search-messages.ts'
import { archiveThread, deleteThread, pinThread, restoreThread } from '../thread-list.ts'

/** Where threads stand in the list, and what is found in them. */
export function threadListHandlers(os: Implementer, { projects }: HostParts) {
  return {
    pin: os.threads.pin.handler(async ({ input }) =>
      pinThread(projects.get(input.projectId), input.threadId, input.pinned),
    ),
    archive: os.threads.archive.handler(async ({ input }) =>
      archiveThread(projects.get(input.projectId), input.threadId, input.archived),
    ),
    delete: os.threads.delete.handler(({ input }) => deleteThread(projects.get(input.projectId), input.threadId)),
    restore: os.threads.restore.handler(async ({ input }) =>
      restoreThread(projects.get(input.projectId), input.threadId),
    ),
    search: os.threads.search.handler(async ({ input }) =>
      searchMessages(projects.get(input.projectId).services, input.query, input.limit),
    ),
  }
}
