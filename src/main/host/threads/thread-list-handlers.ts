import { unwrap } from '#core/commands/command.ts'
import { archiveThread, deleteThread, findRootThread, pinThread, restoreThread } from '#core/commands/threads.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { exportRecord } from '../records/record-thread.ts'
import { searchMessages } from './search-messages.ts'

/** Commands that change a thread's place in the list, searches over threads, and their records. */
export function threadListHandlers(os: Implementer, { projects, options }: HostParts) {
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
    exportRecord: os.threads.exportRecord.handler(async ({ input: { projectId, threadId, withSecrets } }) => {
      const project = projects.get(projectId)
      const { log } = project.services
      const root = log.rootOf(threadId) ?? threadId
      if (!readThread(log, root)) throw new WireError('NOT_FOUND', 'This thread does not exist in this project.')
      const made = await exportRecord(project, root, { version: options.version, withSecrets })
      return { ...made, name: `coppice-${root.slice(0, 8)}.jsonl` }
    }),
    search: os.threads.search.handler(async ({ input }) =>
      searchMessages(projects.get(input.projectId).services, input.query, input.limit),
    ),
  }
}
