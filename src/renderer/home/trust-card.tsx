import { ShieldQuestion } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useApp, useCommand, useSession } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'

const labels = strings.home
/** The answer holds for this tab or window, also after a reload. */
const declinedKey = 'coppice-untrusted'

/** Asks once per folder whether its own instructions may steer agents. Nothing of it is loaded before. */
export function TrustCard(): ReactNode {
  const session = useSession()
  const project = useApp((state) => state.project)
  const [declined, setDeclined] = useState(() => sessionStorage.getItem(declinedKey))
  const trusting = useCommand()
  if (!project || project.trusted || project.wouldLoad.length === 0 || declined === project.id) return null

  const trust = (): Promise<boolean> =>
    trusting.run(async () =>
      session.setProject(await session.client.projects.trust({ projectId: project.id, trusted: true })),
    )

  function decline(id: string): void {
    sessionStorage.setItem(declinedKey, id)
    setDeclined(id)
  }

  return (
    <section aria-label={labels.trustTitle} className="border-line border-b bg-warn-soft px-4 py-3">
      <div className="flex items-start gap-3">
        <ShieldQuestion size={18} aria-hidden className="mt-0.5 shrink-0 text-warn" />
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold">{labels.trustTitle}</h2>
          <p className="text-muted">{labels.trustDetail(project.wouldLoad.length)}</p>
          <ul className="my-1 flex flex-wrap gap-x-4 font-mono text-xs">
            {project.wouldLoad.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
          {trusting.refusal && <RefusalNotice refusal={trusting.refusal} />}
          <div className="mt-2 flex flex-wrap gap-2">
            <Button tone="primary" disabled={trusting.busy} onClick={() => void trust()}>
              {labels.trust}
            </Button>
            <Button onClick={() => decline(project.id)}>{labels.openWithout}</Button>
          </div>
        </div>
      </div>
    </section>
  )
}
