import { readFamily } from '#core/journal/read-thread.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { Project } from '../project/project.ts'

/**
 * Ends the processes of a family whose run stops at a question, and resolves with their number when their changes are
 * stored. Without a window, nothing of a run goes on while it waits for decisions.
 */
export async function endProcesses({ runtime, services }: Project, threadId: ThreadId): Promise<number> {
  await runtime.whenIdle(threadId)
  const { processes } = runtime
  const family = readFamily(services.log, threadId)
  const running = family.flatMap(({ id }) => processes.list(id)).filter(({ end }) => end === null)
  await Promise.all(family.map(({ id }) => processes.endWithRun(id)))
  return running.length
}
