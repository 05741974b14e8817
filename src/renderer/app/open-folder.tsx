import { type ReactNode, useEffect, useState } from 'react'
import { FolderDialog } from '../parts/folder-dialog.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useCommand, useSession } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Dialog } from '../ui/controls/dialog.tsx'

const labels = strings.home

/** Asks for a folder and opens it as a project. What was shown before stays until the folder is open. */
export function OpenFolder({ onClose }: { onClose: () => void }): ReactNode {
  const canPick = useApp((state) => state.info?.canPickFolder ?? false)
  return canPick ? <PickedFolder onClose={onClose} /> : <BrowsedFolder onClose={onClose} />
}

function BrowsedFolder({ onClose }: { onClose: () => void }): ReactNode {
  const session = useSession()
  const opening = useCommand()
  async function open(path: string): Promise<void> {
    if (await opening.run(() => session.openProject({ kind: 'folder', path }))) onClose()
  }
  return (
    <FolderDialog
      title={labels.browseTitle}
      action={labels.openThis}
      refusal={opening.refusal}
      busy={opening.busy}
      onOpen={(path) => void open(path)}
      onClose={onClose}
    />
  )
}

/** Shows the system's own dialog, and a dialog of the window only for a folder that cannot be opened. */
function PickedFolder({ onClose }: { onClose: () => void }): ReactNode {
  const session = useSession()
  const { run, refusal } = useCommand()
  const [picking] = useState(() => ({ begun: false }))
  useEffect(() => {
    if (picking.begun) return
    picking.begun = true
    const pick = async (): Promise<void> => {
      const path = await session.client.app.pickFolder()
      if (path) await session.openProject({ kind: 'folder', path })
    }
    void run(pick).then((done) => done && onClose())
  }, [picking, run, session, onClose])
  if (!refusal) return null
  return (
    <Dialog title={labels.browseTitle} closeLabel={strings.common.close} onClose={onClose}>
      <RefusalNotice refusal={refusal} />
    </Dialog>
  )
}
