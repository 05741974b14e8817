import { Globe, PackageOpen } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { SetupView } from '#shared/contract/views/setup.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { useSetup } from '../state/hooks/use-setup.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { SetupForm } from './setup-form.tsx'
import { SetupProgress } from './setup-progress.tsx'
import { useSetupActions } from './use-setup-actions.ts'

const labels = strings.setup
/** Where *Not now* and *Hide* are saved: what was put away, for this tab or window. */
const putAwayKey = 'coppice-setup-put-away'

/** What a person should know or decide about the setup of the open project. Nothing most of the time. */
export function SetupBar(): ReactNode {
  const projectId = useApp((state) => state.projectInfo?.id)
  const [view, reload] = useSetup()
  const [putAway, setPutAway] = useState(() => sessionStorage.getItem(putAwayKey))
  if (!projectId || view === null) return null
  const [kind, subject] = subjectOf(view)
  const name = `${projectId} ${subject}`
  if (kind === null || putAway === name) return null
  const hide = (): void => {
    sessionStorage.setItem(putAwayKey, name)
    setPutAway(name)
  }
  const { state } = view
  if (state.kind === 'running' || state.kind === 'failed')
    return (
      <div className="border-line border-b p-2">
        <SetupProgress state={state} onHide={hide} reload={reload} />
      </div>
    )
  if (kind === 'hosts') return <HostsCard view={view} onNotNow={hide} reload={reload} />
  return <SetupCard view={view} onNotNow={hide} reload={reload} />
}

/** What the bar is about, and a text that changes when it is about something else. */
function subjectOf({ state, proposals, never, setupHosts, commandHosts }: SetupView) {
  if (state.kind === 'running') return ['state', `running ${state.startedAt}`] as const
  if (state.kind === 'failed') return ['state', `failed ${state.at}`] as const
  const hosts = [...setupHosts, ...commandHosts]
  if (hosts.length > 0) return ['hosts', `hosts ${hosts.join()}`] as const
  if (proposals.length > 0 && !never) return ['proposal', 'proposal'] as const
  return [null, ''] as const
}

interface CardProps {
  readonly view: SetupView
  readonly onNotNow: () => void
  readonly reload: () => void
}

/** Proposes a setup that the project's files call for. Nothing runs before the answer. */
function SetupCard({ view: { proposals, presets }, onNotNow, reload }: CardProps): ReactNode {
  const actions = useSetupActions(reload)
  const [editing, setEditing] = useState(false)
  const [first] = proposals
  if (!first) return null
  return (
    <section aria-label={labels.cardTitle} className="border-line border-b bg-panel px-3 py-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <PackageOpen size={15} aria-hidden className="shrink-0 text-muted" />
        <h2 className="shrink-0 font-semibold">{labels.cardTitle}</h2>
        <p className="min-w-40 flex-1 text-muted [overflow-wrap:anywhere] max-md:basis-full" title={labels.cardAbout}>
          <code className="text-text">
            <VisibleText text={first.command} />
          </code>{' '}
          <VisibleText text={`${labels.from(first.source)}, ${hostsText(first.hosts, presets)}`} />
        </p>
        <span className="ml-auto flex flex-wrap gap-2">
          <Button tone="quiet" disabled={actions.busy} onClick={actions.decline}>
            {labels.never}
          </Button>
          <Button onClick={onNotNow}>{labels.notNow}</Button>
          <Button aria-expanded={editing} onClick={() => setEditing(!editing)}>
            {labels.edit}
          </Button>
          {!editing && (
            <Button tone="primary" disabled={actions.busy} onClick={() => actions.save(first)}>
              {labels.setUp}
            </Button>
          )}
        </span>
      </div>
      {editing && (
        <div className="max-h-[60vh] max-w-2xl overflow-auto py-2">
          <SetupForm
            start={first}
            proposals={proposals}
            saveLabel={labels.saveAndRun}
            busy={actions.busy}
            onSave={actions.save}
          />
        </div>
      )}
      {actions.refusal && <RefusalNotice refusal={actions.refusal} />}
    </section>
  )
}

/** Hosts that a trusted project proposes. It gets none of them before the answer. */
function HostsCard({ view: { setupHosts, commandHosts }, onNotNow, reload }: CardProps): ReactNode {
  const actions = useSetupActions(reload)
  const texts = [
    ...(setupHosts.length > 0 ? [labels.hostsOfSetup(setupHosts)] : []),
    ...(commandHosts.length > 0 ? [labels.hostsOfCommands(commandHosts)] : []),
  ]
  return (
    <section aria-label={labels.hostsTitle} className="border-line border-b bg-warn-soft px-3 py-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Globe size={15} aria-hidden className="shrink-0 text-warn" />
        <h2 className="shrink-0 font-semibold">{labels.hostsTitle}</h2>
        <p className="min-w-40 flex-1 text-muted [overflow-wrap:anywhere] max-md:basis-full">
          <VisibleText text={texts.join(' ')} />
        </p>
        <span className="ml-auto flex flex-wrap gap-2">
          <Button onClick={onNotNow}>{labels.notNow}</Button>
          <Button
            tone="primary"
            disabled={actions.busy}
            onClick={() => actions.allow([...setupHosts, ...commandHosts])}
          >
            {labels.allow}
          </Button>
        </span>
      </div>
      {actions.refusal && <RefusalNotice refusal={actions.refusal} />}
    </section>
  )
}

function hostsText(hosts: readonly string[], presets: SetupView['presets']): string {
  const names = hosts.flatMap((host) => presets[host] ?? [host])
  return names.length === 0 ? labels.noHosts : labels.mayReach(names)
}
