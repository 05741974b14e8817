import { type ReactNode, useState } from 'react'
import { useApp, useCommand, useSession } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { formatDate } from '../ui/format.ts'
import { Notice } from '../ui/notice.tsx'

const labels = strings.home

/** Says that a project's data was damaged, where it is now, and offers the last backup. */
export function DamageCard(): ReactNode {
  const { client } = useSession()
  const project = useApp((state) => state.project)
  const [dismissed, setDismissed] = useState(false)
  const restoring = useCommand()
  if (!project?.damage || dismissed) return null
  const { keptAs, backupAt } = project.damage
  // The project is closed on the way: the page begins again, as after a restart.
  const restore = async (): Promise<void> => {
    const done = await restoring.run(() => client.projects.restoreBackup({ projectId: project.id }))
    if (done) location.reload()
  }
  return (
    <div className="border-line border-b p-2">
      <Notice
        tone="error"
        title={labels.damaged(project.name)}
        detail={labels.damagedDetail(keptAs)}
        actions={
          <>
            {backupAt !== null && (
              <Button tone="primary" disabled={restoring.busy} onClick={() => void restore()}>
                {labels.restoreBackup(formatDate(backupAt))}
              </Button>
            )}
            <Button onClick={() => setDismissed(true)}>{labels.goOnEmpty}</Button>
          </>
        }
      />
      {restoring.refusal && <RefusalNotice refusal={restoring.refusal} />}
    </div>
  )
}
