import { type Command, useClient, useCommand, useProjectId } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { useOfferUndo } from '../state/use-offer-undo.ts'
import type { BatchKey } from '../state/view.ts'
import { toastNote } from '../ui/undo-toast.ts'

const labels = strings.batches

export interface BatchActs {
  readonly command: Command
  retry(): Promise<void>
  mergeClean(): Promise<void>
  stop(): Promise<void>
}

/** What a person can do with a whole batch. */
export function useBatchActs({ threadId, callId }: BatchKey): BatchActs {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const call = { projectId, threadId, callId }

  async function undoAll(sequences: readonly number[]): Promise<void> {
    for (const sequence of sequences.toReversed()) await client.branches.undo({ projectId, sequence })
  }

  return {
    command,
    retry: async () => {
      if (await command.run(() => client.batches.retry(call))) toastNote(labels.retried)
    },
    mergeClean: async () => {
      await command.run(async () => {
        const { sequences, left } = await client.batches.mergeClean(call)
        const detail = left.length > 0 ? labels.leftBranches(left) : undefined
        if (sequences.length === 0) toastNote(detail ?? labels.mergedNothing)
        else offerUndo(labels.merged(sequences.length), () => undoAll(sequences), detail)
      })
    },
    stop: async () => void (await command.run(() => client.threads.stop({ projectId, threadId }))),
  }
}
