import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { refusalOf } from '../state/connection/refusal.ts'
import { useClient, useProjectId } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { toastProblem } from '../ui/controls/toast.ts'

/**
 * Opens a file of the project's own folder in the person's editor, which runs on the machine of the host. A refusal is
 * shown as a note: what is only on a branch has no file yet.
 */
export function useOpenInEditor(): (path: VirtualPath, line?: number) => void {
  const client = useClient()
  const projectId = useProjectId()
  return (path, line = 1) =>
    void client.files.openInEditor({ projectId, path, line }).catch((error: unknown) => {
      const { message } = refusalOf(error)
      toastProblem(strings.files.notOpened, message)
    })
}
