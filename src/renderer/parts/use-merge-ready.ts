import type { BranchId } from '#shared/model/ids.ts'
import { type Command, useClient, useCommand, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { toastNote } from '../ui/controls/toast.ts'
import { useOfferUndo } from './use-offer-undo.ts'

const labels = strings.branchList

interface MergeReady {
  readonly command: Command
  /** Merges branches without conflicts in one step, and names the rest. One undo takes all of them back. */
  merge(branchIds: readonly BranchId[]): Promise<boolean>
}

export function useMergeReady(): MergeReady {
  const client = useClient()
  const projectId = useProjectId()
  const { store } = useSession()
  const command = useCommand()
  const offerUndo = useOfferUndo()
  const nameOf = (id: BranchId): string => store.getState().project.branches.get(id)?.name ?? ''
  return {
    command,
    merge: (branchIds) =>
      command.run(async () => {
        const { sequences, left } = await client.branches.mergeReady({ projectId, branchIds: [...branchIds] })
        const detail = left.length > 0 ? labels.left(left.map(nameOf)) : undefined
        if (sequences.length === 0) toastNote(detail ?? labels.nothingToMerge)
        else offerUndo(labels.merged(sequences.length), sequences, detail)
      }),
  }
}
