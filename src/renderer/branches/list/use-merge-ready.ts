import type { BranchId } from '#shared/model/ids.ts'
import { useOfferUndo } from '../../parts/use-offer-undo.ts'
import { type Command, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { strings } from '../../strings/strings.ts'
import { toastNote } from '../../ui/controls/toast.ts'
import type { WorkItem } from './work-list.ts'

const labels = strings.branchList

interface MergeReady {
  readonly command: Command
  /** Merges branches without conflicts, and names the rest. One undo takes all of them back. */
  merge(branchIds: readonly BranchId[]): Promise<boolean>
}

export function useMergeReady(items: readonly WorkItem[]): MergeReady {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const nameOf = (id: BranchId): string => items.find(({ branch }) => branch.id === id)?.branch.name ?? ''

  async function undoAll(sequences: readonly number[]): Promise<void> {
    for (const sequence of sequences.toReversed()) await client.branches.undo({ projectId, sequence })
  }
  return {
    command,
    merge: (branchIds) =>
      command.run(async () => {
        const { sequences, left } = await client.branches.mergeReady({ projectId, branchIds: [...branchIds] })
        const detail = left.length > 0 ? labels.left(left.map(nameOf)) : undefined
        if (sequences.length === 0) toastNote(detail ?? labels.nothingToMerge)
        else offerUndo(labels.merged(sequences.length), () => undoAll(sequences), detail)
      }),
  }
}
