import { toast } from 'sonner'

interface UndoToast {
  readonly message: string
  readonly detail?: string
  readonly undoLabel: string
  readonly onUndo: () => void
}

/** Milliseconds for which a note offers its undo. History offers the undo for longer. */
const shownFor = 10_000

/** Shows a note with an undo button for ten seconds. */
export function toastWithUndo({ message, detail, undoLabel, onUndo }: UndoToast): void {
  toast(message, { description: detail, duration: shownFor, action: { label: undoLabel, onClick: onUndo } })
}

/** Shows a note for four seconds. */
export function toastNote(message: string): void {
  toast(message, { duration: 4000 })
}

/** Shows what went wrong and what to do, for ten seconds. */
export function toastProblem(message: string, detail: string): void {
  toast.error(message, { description: detail, duration: shownFor })
}
