import { unwrap } from '#core/commands/command.ts'
import { archiveThread, deleteThread, findRootThread, pinThread, restoreThread } from '#core/commands/threads.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import type { Project } from '../project/project.ts'
import { exportRecord } from '../records/record-thread.ts'
import { searchMessages } from './search-messages.ts'
import { transcriptOf } from './transcript.ts'

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
      const root = readRoot(project, threadId)
      const made = await exportRecord(project, root, { version: options.version, withSecrets })
      return { ...made, name: `coppice-${root.slice(0, 8)}.jsonl` }
    }),
    exportPage: os.threads.exportPage.handler(async ({ input: { projectId, threadId } }) => {
      const project = projects.get(projectId)
      const root = readRoot(project, threadId)
      return { name: `coppice-${root.slice(0, 8)}.html`, text: await transcriptOf(project, root, 'html', false) }
    }),
    search: os.threads.search.handler(async ({ input }) =>
      searchMessages(projects.get(input.projectId).services, input.query, input.limit),
    ),
  }
}

/** The main thread of a family, which is loaded for it. Throws a refusal where there is none. */
function readRoot({ services: { log } }: Project, threadId: ThreadId): ThreadId {
  const root = log.rootOf(threadId) ?? threadId
  if (!readThread(log, root)) throw new WireError('NOT_FOUND', 'This thread does not exist in this project.')
  return root
}
