import type { Sequence } from '#shared/model/ids.ts'
import { refusalOf } from '../state/connection/refusal.ts'
import { useClient, useProjectId } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { toastNote, toastProblem, toastWithUndo } from '../ui/controls/toast.ts'

/** Says that something was done, and offers its undo. */
type OfferUndo = (message: string, undo: Undo, detail?: string) => void

/** The entries to undo, in the order in which they were stored, or a command of its own. */
type Undo = Sequence | readonly Sequence[] | (() => Promise<unknown>)

export function useOfferUndo(): OfferUndo {
  const client = useClient()
  const projectId = useProjectId()
  async function undoEntries(entries: Sequence | readonly Sequence[]): Promise<void> {
    for (const sequence of [entries].flat().toReversed()) await client.branches.undo({ projectId, sequence })
  }
  return (message, undo, detail) => {
    const takeBack = typeof undo === 'function' ? undo : () => undoEntries(undo)
    const onUndo = (): void =>
      void takeBack().then(
        () => toastNote(strings.branches.undone),
        (error: unknown) => toastProblem(refusalOf(error).message, refusalOf(error).nextStep),
      )
    toastWithUndo({ message, undoLabel: strings.common.undo, onUndo, ...(detail && { detail }) })
  }
}
