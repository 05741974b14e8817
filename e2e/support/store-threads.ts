import { json } from 'node:stream/consumers'
import { readThread } from '#core/journal/read-thread.ts'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import { appendTo } from '../../src/main/core/journal/project-log.testkit.ts'
import { openTestHost } from '../../src/main/host/testing/test-host.testkit.ts'
import { ownBranch, type StoredThread } from './stored-threads.ts'

// The program of `storeThreads`: reads what to store from standard input.
interface Input {
  readonly dataFolder: string
  readonly folder: string
  readonly threads: readonly StoredThread[]
}

const { dataFolder, folder, threads } = (await json(process.stdin)) as Input
await using host = await openTestHost(dataFolder)
const { runtime, services } = await host.projects.open(folder)
for (const { title, bodies } of threads) {
  const threadId = runtime.createThread({ title, model: 'scripted-1', approvalMode: 'auto-edit' })
  const branchId = readThread(services.log, threadId)?.branchId
  const drafts = bodies.map((body) => {
    const isOfBranch = 'branchId' in body && body.branchId === ownBranch
    return { ...body, threadId, ...(isOfBranch && { branchId }) } as typeof body & { threadId: typeof threadId }
  })
  if (isNonEmpty(drafts)) appendTo(services.log, drafts)
}
