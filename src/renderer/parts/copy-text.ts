import { strings } from '../strings/strings.ts'
import { toastNote, toastProblem } from '../ui/controls/toast.ts'

/** Copies a text and says so, or says that the browser does not allow it. */
export function copyText(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => toastNote(strings.common.copied),
    () => toastProblem(strings.common.notCopied, strings.common.notCopiedDetail),
  )
}
