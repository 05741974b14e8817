import { setImmediate } from 'node:timers/promises'
import { finishedBranches, mergeCleanBranches } from '#core/commands/branches.ts'
import { mergeInGroups } from '#core/commands/merge-groups.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'

export function batchHandlers(os: Implementer, { projects }: HostParts) {
  return {
    retry: os.batches.retry.handler(async ({ input }) => {
      const { runtime, requireActive } = projects.get(input.projectId)
      requireActive(input.threadId)
      runtime.retryBatch(input.threadId, input.callId)
    }),
    stop: os.batches.stop.handler(async ({ input }) => {
      const { runtime, requireActive } = projects.get(input.projectId)
      requireActive(input.threadId)
      runtime.stopBatch(input.threadId, input.callId)
    }),
    change: os.batches.change.handler(async ({ input }) => {
      const { runtime, requireActive } = projects.get(input.projectId)
      requireActive(input.threadId)
      const { concurrency, cost, add, drop } = input
      runtime.changeBatch(input.threadId, input.callId, {
        ...(concurrency !== undefined && { concurrency }),
        ...(cost !== undefined && { cost }),
        ...(add && { add: add.map((description) => ({ description })) }),
        ...(drop && { drop }),
      })
    }),
    mergeClean: os.batches.mergeClean.handler(async ({ input }) => {
      const { services, merges, run, requireActive } = projects.get(input.projectId)
      requireActive(input.threadId)
      return mergeInGroups(
        finishedBranches(services, input),
        async (branchIds) => run(await mergeCleanBranches(services, merges, input.threadId, branchIds)),
        setImmediate,
      )
    }),
  }
}
