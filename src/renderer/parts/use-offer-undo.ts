import type { Sequence } from '#shared/model/ids.ts'
import { refusalOf } from '../state/connection/refusal.ts'
import { useClient, useProjectId } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { toastNote, toastProblem, toastWithUndo } from '../ui/controls/toast.ts'

/** Says that something was done, and offers its undo. */
type OfferUndo = (message: string, undo: Sequence | (() => Promise<unknown>), detail?: string) => void

/** `undo` is the entry to undo, or a command of its own. */
export function useOfferUndo(): OfferUndo {
  const client = useClient()
  const projectId = useProjectId()
  return (message, undo, detail) => {
    const takeBack = typeof undo === 'function' ? undo : () => client.branches.undo({ projectId, sequence: undo })
    const onUndo = (): void =>
      void takeBack().then(
        () => toastNote(strings.branches.undone),
        (error: unknown) => toastProblem(refusalOf(error).message, refusalOf(error).nextStep),
      )
    toastWithUndo({ message, undoLabel: strings.common.undo, onUndo, ...(detail && { detail }) })
  }
}
