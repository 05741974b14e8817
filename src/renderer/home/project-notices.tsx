import { ShieldQuestion } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { formatDate } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useCommand, useSession } from '../state/hooks/hooks.tsx'
import { draftKey, showDraft } from '../state/preferences/draft.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { reachable } from '../ui/react/elements.tsx'

const labels = strings.home
/** Where the answer *Open without them* is saved. It holds for this tab or window, also after a reload. */
const declinedKey = 'coppice-untrusted'
/** The project whose folder a person wants alone, though it is a part of a repository. */
const keptPartKey = 'coppice-part'

/** Asks whether a folder's own instructions may guide agents. None of them is loaded before the answer. */
export function TrustCard(): ReactNode {
  const session = useSession()
  const projectInfo = useApp((state) => state.projectInfo)
  const [declined, setDeclined] = useState(() => sessionStorage.getItem(declinedKey))
  const [reviewing, setReviewing] = useState(false)
  const trusting = useCommand()
  if (!projectInfo || projectInfo.trusted || projectInfo.wouldLoad.length === 0 || declined === projectInfo.id)
    return null

  const trust = (): Promise<boolean> =>
    trusting.run(async () =>
      session.setProjectInfo(await session.client.projects.trust({ projectId: projectInfo.id, trusted: true })),
    )

  function decline(id: string): void {
    sessionStorage.setItem(declinedKey, id)
    setDeclined(id)
  }

  return (
    <section aria-label={labels.trustTitle} className="border-line border-b bg-warn-soft px-3 py-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <ShieldQuestion size={15} aria-hidden className="shrink-0 text-warn" />
        <h2 className="shrink-0 font-semibold">{labels.trustTitle}</h2>
        <p className="min-w-40 flex-1 text-muted">{labels.trustShort(projectInfo.wouldLoad)}</p>
        <span className="ml-auto flex flex-wrap gap-2">
          <Button tone="quiet" aria-expanded={reviewing} onClick={() => setReviewing(!reviewing)}>
            {labels.trustReview}
          </Button>
          <Button onClick={() => decline(projectInfo.id)}>{labels.openWithout}</Button>
          <Button tone="primary" disabled={trusting.busy} onClick={() => void trust()}>
            {labels.trust}
          </Button>
        </span>
      </div>
      {reviewing && (
        <div className="max-h-[30vh] overflow-auto pt-1 pb-2 pl-6" {...reachable}>
          <p className="text-muted">{labels.trustDetail(projectInfo.wouldLoad.length)}</p>
          <ul className="mt-1 flex flex-wrap gap-x-4 font-mono text-xs">
            {projectInfo.wouldLoad.map((path) => (
              <li key={path} className="[overflow-wrap:anywhere]">
                <VisibleText text={path} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {trusting.refusal && <RefusalNotice refusal={trusting.refusal} />}
    </section>
  )
}

/** Says that a project's data was damaged and where it is kept, and offers the last backup. */
export function DamageCard(): ReactNode {
  const { client } = useSession()
  const projectInfo = useApp((state) => state.projectInfo)
  const [dismissed, setDismissed] = useState(false)
  const restoring = useCommand()
  if (!projectInfo?.damage || dismissed) return null
  const { keptAs, backupAt } = projectInfo.damage
  // Restoring closes the project, so the page starts again.
  const restore = async (): Promise<void> => {
    const done = await restoring.run(() => client.projects.restoreBackup({ projectId: projectInfo.id }))
    if (done) location.reload()
  }
  return (
    <div className="border-line border-b p-2">
      <Notice
        tone="error"
        title={labels.damaged(projectInfo.name)}
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

/** Says that the folder is only a part of a repository, and offers all of it, with the folder in the first message. */
export function WithinCard(): ReactNode {
  const session = useSession()
  const projectInfo = useApp((state) => state.projectInfo)
  const [kept, setKept] = useState(() => localStorage.getItem(keptPartKey))
  const opening = useCommand()
  if (!projectInfo?.within || kept === projectInfo.id) return null
  const { top, folder } = projectInfo.within
  const openTop = (): Promise<boolean> =>
    opening.run(async () => {
      await session.openProject({ kind: 'folder', path: top })
      const { projectInfo: opened } = session.store.getState()
      if (opened) showDraft(window, draftKey(opened.id, null), labels.workIn(folder))
    })
  const keep = (): void => {
    localStorage.setItem(keptPartKey, projectInfo.id)
    setKept(projectInfo.id)
  }
  return (
    <div className="border-line border-b p-2">
      <Notice
        tone="info"
        title={labels.within(top)}
        detail={labels.withinDetail}
        actions={
          <>
            <Button tone="primary" disabled={opening.busy} onClick={() => void openTop()}>
              {labels.openTop}
            </Button>
            <Button onClick={keep}>{labels.keepPart}</Button>
          </>
        }
      />
      {opening.refusal && <RefusalNotice refusal={opening.refusal} />}
    </div>
  )
}
