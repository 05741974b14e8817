import { toast } from 'sonner'

interface UndoToast {
  readonly message: string
  readonly detail?: string
  readonly undoLabel: string
  readonly onUndo: () => void
}

/** Milliseconds an undo is offered; the act itself can be taken back longer, from where it is listed. */
const shownFor = 10_000

export function toastWithUndo({ message, detail, undoLabel, onUndo }: UndoToast): void {
  toast(message, { description: detail, duration: shownFor, action: { label: undoLabel, onClick: onUndo } })
}

export function toastNote(message: string): void {
  toast(message, { duration: 4000 })
}

export function toastProblem(message: string, detail: string): void {
  toast.error(message, { description: detail, duration: shownFor })
}
