import { invertibleOn } from '#core/branches/go-back.ts'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { batchRows } from '#shared/model/batch.ts'
import { composeAll, invert } from '#shared/model/patch.ts'
import type { HostParts } from '../composition/host-parts.ts'
import type { Implementer } from '../composition/router.ts'
import { requireStanding } from '../thread-list.ts'

export function batchHandlers(os: Implementer, { projects }: HostParts) {
  return {
    retry: os.batches.retry.handler(async ({ input }) => {
      const { services, runtime } = projects.get(input.projectId)
      requireStanding(services, input.threadId)
      runtime.retryBatch(input.threadId, input.callId)
    }),
    mergeClean: os.batches.mergeClean.handler(async ({ input }) => {
      const { services, merges } = projects.get(input.projectId)
      const { log } = services
      const rows = batchRows(log.state, input.threadId, input.callId)
      const handles = rows.flatMap(({ status, thread }) =>
        status === 'ok' && thread?.parent ? [thread.parent.handle] : [],
      )
      const { entries, left } = await merges.mergeClean(input.threadId, handles)
      const change = composeAll(entries.map(({ patch }) => patch))
      const head = entries[0] && log.trees.heads.get(entries[0].into)
      if (head && !invertibleOn(head, invert(change)))
        throw new WireError('CONFLICT', 'These files changed while the merge was prepared. Merge again.')
      const drafts = entries.map((entry) => ({ threadId: input.threadId, ...entry }))
      const stored = isNonEmpty(drafts) ? log.append(drafts) : []
      return { sequences: stored.map(({ sequence }) => sequence), left }
    }),
  }
}
