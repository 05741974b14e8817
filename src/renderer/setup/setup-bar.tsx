import { Globe, PackageOpen } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { SetupView } from '#shared/contract/views/setup.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { useSetup } from '../state/hooks/use-setup.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { offeredWith, offersScripts } from './offered-with.ts'
import { RunWarning } from './run-warning.tsx'
import { ScriptsShown } from './scripts-shown.tsx'
import { SetupForm } from './setup-form.tsx'
import { SetupProgress } from './setup-progress.tsx'
import { useRunWords } from './use-run-words.ts'
import { useSetupActions } from './use-setup-actions.ts'

const labels = strings.setup
/** Where *Not now* and *Hide* are saved: all that was put away in any project, for this tab or window. */
const putAwayKey = 'coppice-setup-put-away'

interface SetupBarProps {
  /** What is shown while there is nothing to say about the setup. */
  readonly children?: ReactNode
}

/** What a person should know or decide about the setup of the open project. Nothing most of the time. */
export function SetupBar({ children }: SetupBarProps): ReactNode {
  const projectId = useApp((state) => state.projectInfo?.id)
  const [view, reload] = useSetup()
  const [putAway, setPutAway] = useState(readPutAway)
  if (!projectId || view === null) return null
  const nameOf = ({ name }: Subject): string => `${projectId} ${name}`
  const subject = subjectsOf(view).find((one) => !putAway.includes(nameOf(one)))
  if (subject === undefined) return children
  const hide = (): void => {
    const all = [...putAway, nameOf(subject)]
    sessionStorage.setItem(putAwayKey, JSON.stringify(all))
    setPutAway(all)
  }
  const { state } = view
  if (subject.kind === 'state' && (state.kind === 'running' || state.kind === 'failed'))
    return (
      <section aria-label={labels.progressTitle} className="border-line border-b p-2">
        <SetupProgress state={state} onHide={hide} reload={reload} />
      </section>
    )
  if (subject.kind === 'files') return <FilesCard view={view} onNotNow={hide} reload={reload} />
  if (subject.kind === 'hosts') return <HostsCard view={view} onNotNow={hide} reload={reload} />
  if (subject.kind === 'scripts') return <ScriptsCard view={view} onNotNow={hide} reload={reload} />
  return <SetupCard view={view} onNotNow={hide} reload={reload} />
}

function readPutAway(): readonly string[] {
  const saved: unknown = JSON.parse(sessionStorage.getItem(putAwayKey) ?? '[]')
  return Array.isArray(saved) ? saved.map(String) : []
}

interface Subject {
  readonly kind: 'state' | 'hosts' | 'files' | 'proposal' | 'scripts'
  /** Changes when it is about something else. */
  readonly name: string
}

/** What the bar could be about, the most urgent first. */
function subjectsOf(view: SetupView): readonly Subject[] {
  const { state, proposals, never, setupHosts, commandHosts, includedFiles, scripts } = view
  if (state.kind === 'running') return [{ kind: 'state', name: `running ${state.startedAt}` }]
  const hosts = [...setupHosts, ...commandHosts]
  const isProposed = proposals.length > 0 && !never
  const about = JSON.stringify([scripts.archive, scripts.variables])
  return [
    ...(state.kind === 'failed' ? [{ kind: 'state', name: `failed ${state.at}` } as const] : []),
    ...(hosts.length > 0 ? [{ kind: 'hosts', name: `hosts ${hosts.join()}` } as const] : []),
    ...(includedFiles.length > 0 ? [{ kind: 'files', name: `files ${includedFiles.join()}` } as const] : []),
    ...(isProposed ? [{ kind: 'proposal', name: 'proposal' } as const] : []),
    ...(!isProposed && !never && offersScripts(view) ? [{ kind: 'scripts', name: `scripts ${about}` } as const] : []),
  ]
}

interface CardProps {
  readonly view: SetupView
  readonly onNotNow: () => void
  readonly reload: () => void
}

/** Proposes a setup that the project's files call for. Nothing runs before the answer. */
function SetupCard({ view, onNotNow, reload }: CardProps): ReactNode {
  const { proposals, presets, scripts } = view
  const actions = useSetupActions(reload)
  const words = useRunWords()
  const [editing, setEditing] = useState(false)
  const [first] = proposals
  if (!first) return null
  return (
    <section aria-label={labels.cardTitle} className="border-line border-b bg-panel px-3 py-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <PackageOpen size={15} aria-hidden className="shrink-0 text-muted" />
        <h2 className="shrink-0 font-semibold">{labels.cardTitle}</h2>
        <div className="min-w-40 flex-1 max-md:basis-full">
          <p className="text-muted [overflow-wrap:anywhere]" title={words.about}>
            <code className="whitespace-pre-wrap text-text">
              <VisibleText text={first.command} />
            </code>{' '}
            <VisibleText
              text={[
                labels.from(first.source),
                ...(words.warning === '' ? [hostsText(first.hosts, presets)] : []),
              ].join(', ')}
            />
          </p>
          {!editing && <ScriptsShown scripts={scripts} />}
          {!editing && <RunWarning />}
        </div>
        <span className="ml-auto flex flex-wrap gap-2">
          <Button tone="quiet" disabled={actions.busy} onClick={actions.decline}>
            {labels.never}
          </Button>
          <Button onClick={onNotNow}>{labels.notNow}</Button>
          <Button aria-expanded={editing} onClick={() => setEditing(!editing)}>
            {labels.edit}
          </Button>
          {!editing && (
            <Button
              tone="primary"
              disabled={actions.busy}
              onClick={() => actions.save(first, offersScripts(view) ? offeredWith(view) : {})}
            >
              {words.setUp}
            </Button>
          )}
        </span>
      </div>
      {editing && (
        <div className="max-h-[60vh] max-w-2xl overflow-auto py-2">
          <SetupForm
            start={first}
            proposals={proposals}
            accepted={offeredWith(view)}
            busy={actions.busy}
            onSave={actions.save}
          />
        </div>
      )}
      {actions.refusal && <RefusalNotice refusal={actions.refusal} />}
    </section>
  )
}

/** What a trusted project keeps for other tools, where there is no setup to decide about. Nothing of it holds before the answer. */
function ScriptsCard({ view, onNotNow, reload }: CardProps): ReactNode {
  const actions = useSetupActions(reload)
  const decline = () =>
    actions.acceptScripts({ archive: view.accepted.archive, variables: { ...view.accepted.variables } })
  return (
    <section aria-label={labels.scriptsTitle} className="border-line border-b bg-panel px-3 py-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <PackageOpen size={15} aria-hidden className="shrink-0 text-muted" />
        <h2 className="shrink-0 font-semibold">{labels.scriptsTitle}</h2>
        <div className="min-w-40 flex-1 max-md:basis-full">
          <ScriptsShown scripts={view.scripts} />
          <RunWarning />
        </div>
        <span className="ml-auto flex flex-wrap gap-2">
          <Button tone="quiet" disabled={actions.busy} onClick={decline}>
            {labels.never}
          </Button>
          <Button onClick={onNotNow}>{labels.notNow}</Button>
          <Button tone="primary" disabled={actions.busy} onClick={() => actions.acceptScripts(offeredWith(view))}>
            {labels.useScripts}
          </Button>
        </span>
      </div>
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
  const allow = () => actions.allow([...setupHosts, ...commandHosts])
  return (
    <Proposed
      title={labels.hostsTitle}
      text={texts.join(' ')}
      yes={labels.allow}
      {...{ actions, onNotNow, onYes: allow }}
    />
  )
}

/** Files that a trusted project names for working copies. No agent reads them before the answer. */
function FilesCard({ view: { includedFiles }, onNotNow, reload }: CardProps): ReactNode {
  const actions = useSetupActions(reload)
  const show = () => actions.showFiles(includedFiles)
  const words = { title: labels.filesTitle, text: labels.filesOf(includedFiles), yes: labels.showFiles }
  return <Proposed {...words} hint={labels.showFilesHint(includedFiles)} {...{ actions, onNotNow, onYes: show }} />
}

interface ProposedProps {
  readonly title: string
  readonly text: string
  readonly yes: string
  readonly hint?: string
  readonly actions: ReturnType<typeof useSetupActions>
  readonly onNotNow: () => void
  readonly onYes: () => void
}

/** What a project asks a person for, in one line with the answers. */
function Proposed({ title, text, yes, hint, actions, onNotNow, onYes }: ProposedProps): ReactNode {
  return (
    <section aria-label={title} className="border-line border-b bg-warn-soft px-3 py-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Globe size={15} aria-hidden className="shrink-0 text-warn" />
        <h2 className="shrink-0 font-semibold">{title}</h2>
        <p className="min-w-40 flex-1 text-muted [overflow-wrap:anywhere] max-md:basis-full">
          <VisibleText text={text} />
        </p>
        <span className="ml-auto flex flex-wrap gap-2">
          <Button onClick={onNotNow}>{labels.notNow}</Button>
          <Button tone="primary" disabled={actions.busy} title={hint} onClick={onYes}>
            {yes}
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
