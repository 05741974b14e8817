import type { Sequence } from '#shared/model/ids.ts'
import { useOfferUndo } from '../parts/use-offer-undo.ts'
import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import type { BatchKey } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { toastNote } from '../ui/controls/toast.ts'
import type { AttemptRow } from './attempt-rows.ts'

const labels = strings.attempts

export interface AttemptActions {
  readonly command: Command
  /** Merges one. What conflicts stays as it was. */
  take(attempt: AttemptRow): Promise<void>
  /** Drops attempts. One undo brings all of them back. */
  discard(attempts: readonly AttemptRow[]): Promise<void>
  stop(): Promise<void>
}

/** What a person does with attempts. Each says what was done and offers its undo. */
export function useAttemptActions({ threadId, callId }: BatchKey): AttemptActions {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const offerUndo = useOfferUndo()
  return {
    command,
    async take({ row, name }) {
      const branchId = row.thread?.branchId
      if (branchId === undefined) return
      await command.run(async () => {
        const request = { projectId, branchId, paths: null, force: false, strategy: 'three_way' } as const
        const { result, sequence } = await client.branches.merge(request)
        const left = result.conflicts.length
        const detail = left > 0 ? labels.conflicts(left) : undefined
        if (sequence === null) toastNote(detail ?? labels.mergedNothing(name))
        else offerUndo(labels.merged(name), sequence, detail)
      })
    },
    async discard(attempts) {
      await command.run(async () => {
        const sequences: Sequence[] = []
        try {
          for (const { row } of attempts) {
            if (!row.thread) continue
            const { sequence } = await client.branches.discard({
              projectId,
              branchId: row.thread.branchId,
              paths: null,
            })
            sequences.push(sequence)
          }
        } finally {
          // What was dropped before one failed can be brought back as well.
          if (sequences.length > 0) offerUndo(labels.discardedRest(sequences.length), sequences)
        }
      })
    },
    stop: async () => void (await command.run(() => client.batches.stop({ projectId, threadId, callId }))),
  }
}
